use super::{check, check_warned, int, text, time};
use crate::value::Value;

#[test]
fn parts_are_those_of_the_zone() {
    let d = || time("2021-03-04T05:06:07.089Z");
    check(&[
        ("GetYear", vec![d()], "2021"),
        ("GetMonth", vec![d()], "3"),
        ("GetDay", vec![d()], "4"),
        ("GetHour", vec![d()], "5"),
        ("GetMinute", vec![d()], "6"),
        ("GetSecond", vec![d()], "7"),
        ("GetMilliSecond", vec![d()], "89"),
        ("GetWeek", vec![d()], "9"),
        ("GetWeekYear", vec![d()], "2021"),
        ("ToUnixTime", vec![d()], "1614834367"),
        ("ToMilliSeconds", vec![d()], "1614834367089"),
        ("GetHour", vec![time("2021-03-04T05:06:07+02:00")], "5"),
        ("GetWeek", vec![time("2021-01-03T00:00:00Z")], "53"),
        ("GetWeekYear", vec![time("2021-01-03T00:00:00Z")], "2020"),
        ("GetWeekYear", vec![time("2018-12-31T00:00:00Z")], "2019"),
        ("GetYear", vec![Value::Null], "null"),
        ("CurrentTime", vec![], "2020-01-02T03:04:05.006Z"),
    ]);
}

#[test]
fn dates_from_numbers_and_iso_texts() {
    check(&[
        ("ToDate", vec![Value::Long(1000)], "1970-01-01T00:00:01.000Z"),
        ("ToDate", vec![int(-1)], "1969-12-31T23:59:59.999Z"),
        ("ToDate", vec![text("2021-03-04")], "2021-03-04T00:00:00.000Z"),
        ("ToDate", vec![text("2021-03-04T05:06:07+01:00")], "2021-03-04T05:06:07.000+01:00"),
        ("ToDate", vec![Value::Null, text("yyyy")], "null"),
    ]);
    check_warned(&[("ToDate", vec![text("soon")])]);
}

#[test]
fn dates_by_patterns() {
    let rows = [
        ("04/03/2021 17:45", "dd/MM/yyyy HH:mm", "2021-03-04T17:45:00.000Z"),
        ("4 Mar 2021", "d MMM yyyy", "2021-03-04T00:00:00.000Z"),
        ("4 march 2021", "d MMMM yyyy", "2021-03-04T00:00:00.000Z"),
        ("06/Mar/2023:23:56:00 +0100", "dd/MMM/yyyy:HH:mm:ss Z", "2023-03-06T22:56:00.000Z"),
        ("20210304T050607.8", "yyyyMMdd'T'HHmmss.S", "2021-03-04T05:06:07.800Z"),
        ("2021-03-04 12:05:06.089", "yyyy-MM-dd hh:mm:ss.SSS", "2021-03-04T00:05:06.089Z"),
        ("2021-03-04 12:05 PM", "yyyy-MM-dd hh:mm a", "2021-03-04T12:05:00.000Z"),
        ("2021-03-04 01:05 pm", "yyyy-MM-dd hh:mm a", "2021-03-04T13:05:00.000Z"),
        ("2021-03-04 24", "yyyy-MM-dd kk", "2021-03-04T00:00:00.000Z"),
        ("21-063", "yy-DDD", "2021-03-04T00:00:00.000Z"),
        ("39", "yy", "2039-01-01T00:00:00.000Z"),
        ("40", "yy", "1940-01-01T00:00:00.000Z"),
        ("1999", "yy", "1999-01-01T00:00:00.000Z"),
        ("2021-W09-4", "xxxx-'W'ww-e", "2021-03-04T00:00:00.000Z"),
        ("2020-W53", "xxxx-'W'ww", "2020-12-28T00:00:00.000Z"),
        ("12/31", "MM/dd", "2000-12-31T00:00:00.000Z"),
        ("10:11", "HH:mm", "1970-01-01T10:11:00.000Z"),
        ("2021-03-04 EST", "yyyy-MM-dd z", "2021-03-04T05:00:00.000Z"),
        ("2021-07-04 America/New_York", "yyyy-MM-dd ZZZ", "2021-07-04T04:00:00.000Z"),
        ("2021 o'clock", "yyyy 'o''clock'", "2021-01-01T00:00:00.000Z"),
        ("Thu 4.3.21", "E d.M.yy", "2021-03-04T00:00:00.000Z"),
    ];
    for (value, pattern, expected) in rows {
        check(&[("ToDate", vec![text(value), text(pattern)], expected)]);
    }
    let wrong = [
        ("2021-02-29", "yyyy-MM-dd"),
        ("2021-13-01", "yyyy-MM-dd"),
        ("2021-01-01 25", "yyyy-MM-dd HH"),
        ("2021-01-01 13 AM", "yyyy-MM-dd hh a"),
        ("2021-W53", "xxxx-'W'ww"),
        ("2021-01-01x", "yyyy-MM-dd"),
        ("2021", "yyyy-MM"),
        ("2021", "bbbb"),
        ("9999999999999999999", "CCCCCCCCCCCCCCCCCCC"),
        ("-9223372036854775807", "YYYYYYYYYYYYYYYYYYYYd"),
        ("999999999", "y"),
        ("2021", ""),
    ];
    for (value, pattern) in wrong {
        check_warned(&[("ToDate", vec![text(value), text(pattern)])]);
    }
}

#[test]
fn dates_in_zones() {
    let call = |value: &str, pattern: &str, zone: &str| vec![text(value), text(pattern), text(zone)];
    check(&[
        ("ToDate", call("2021-01-15", "yyyy-MM-dd", "UTC"), "2021-01-15T00:00:00.000Z"),
        ("ToDate", call("2021-01-15", "yyyy-MM-dd", "-08:00"), "2021-01-15T00:00:00.000-08:00"),
        ("ToDate", call("2021-01-15", "yyyy-MM-dd", "America/New_York"), "2021-01-15T00:00:00.000-05:00"),
        ("ToDate", call("2021-07-15", "yyyy-MM-dd", "America/New_York"), "2021-07-15T00:00:00.000-04:00"),
        ("ToDate", call("2021-07-15 +0000", "yyyy-MM-dd Z", "+02:00"), "2021-07-15T02:00:00.000+02:00"),
    ]);
    check_warned(&[
        ("ToDate", call("2021-01-15", "yyyy-MM-dd", "Mars/Base")),
        ("ToDate", call("2021-03-14 02:30", "yyyy-MM-dd HH:mm", "America/New_York")),
    ]);
}

#[test]
fn texts_by_patterns() {
    let d = || time("2021-03-04T17:05:06.089+01:30");
    let rows = [
        ("yyyyMMdd-HHmm", "20210304-1705"),
        ("yy M d H m s SSS", "21 3 4 17 5 6 089"),
        ("S SS SSSSS", "0 08 08900"),
        ("EEE EEEE MMM MMMM", "Thu Thursday Mar March"),
        ("h a K k", "5 PM 5 17"),
        ("Z ZZ ZZZ z", "+0130 +01:30 +01:30 +01:30"),
        ("G C Y x w e D DDD", "AD 20 2021 2021 9 4 63 063"),
        ("yyyyy 'at' ''", "02021 at '"),
    ];
    for (pattern, expected) in rows {
        check(&[("ToString", vec![d(), text(pattern)], expected)]);
    }
    check(&[
        ("ToString", vec![time("1970-01-01T00:00:01Z")], "1970-01-01T00:00:01.000Z"),
        ("ToString", vec![time("1970-01-01T00:00:01Z"), text("ZZ z h k")], "+00:00 UTC 12 24"),
    ]);
    check_warned(&[("ToString", vec![d(), text("b")])]);
}

#[test]
fn durations() {
    let d = "2009-01-07T01:07:01.000Z";
    let rows = [
        ("AddDuration", d, "PT1S", "2009-01-07T01:07:02.000Z"),
        ("AddDuration", d, "P1Y2M3W4DT5H6M7.089S", "2010-04-01T06:13:08.089Z"),
        ("SubtractDuration", d, "P1Y", "2008-01-07T01:07:01.000Z"),
        ("AddDuration", d, "PT-1H", "2009-01-07T00:07:01.000Z"),
        ("AddDuration", d, "PT-0.5S", "2009-01-07T01:07:00.500Z"),
        ("AddDuration", "2021-01-31T00:00:00Z", "P1M", "2021-02-28T00:00:00.000Z"),
        ("AddDuration", "2020-02-29T00:00:00Z", "P1Y", "2021-02-28T00:00:00.000Z"),
        ("SubtractDuration", "2021-03-31T00:00:00+02:00", "P1M", "2021-02-28T00:00:00.000+02:00"),
        ("AddDuration", "2021-12-15T00:00:00Z", "P13M", "2023-01-15T00:00:00.000Z"),
    ];
    for (name, start, duration, expected) in rows {
        check(&[(name, vec![time(start), text(duration)], expected)]);
    }
    for duration in ["", "P", "PT", "1D", "P1D2M", "P1.5D", "PD", "P1H", "PT1Y", "P99999999999999999999D"] {
        check_warned(&[("AddDuration", vec![time(d), text(duration)])]);
    }
    check_warned(&[("AddDuration", vec![time(d), text("P999999999999Y")])]);
}

#[test]
fn differences() {
    let rows = [
        ("2009-01-07T01:07:01.000Z", [0, 11, 48, 341, 8185, 491_107, 29_466_421]),
        ("2008-02-06T02:06:02.000Z", [0, 0, 0, 5, 122, 7326, 439_562]),
        ("2007-03-05T03:05:03.000Z", [0, -10, -47, -332, -7988, -479_334, -28_760_097]),
    ];
    let names = ["Years", "Months", "Weeks", "Days", "Hours", "Minutes", "Seconds"];
    for (end, expected) in rows {
        for (name, expected) in names.iter().zip(expected) {
            let name = format!("{name}Between");
            let arguments = vec![time(end), time("2008-02-01T00:00:00.000Z")];
            check(&[(&name, arguments, &expected.to_string())]);
        }
    }
    let months = |end: &str, start: &str, expected: &str| {
        check(&[("MonthsBetween", vec![time(end), time(start)], expected)]);
    };
    months("2021-02-28", "2021-01-31", "1");
    months("2021-02-27", "2021-01-31", "0");
    months("2021-01-31", "2021-02-28", "-1");
    months("2021-03-15", "2021-01-15", "2");
    let years = |end: &str, start: &str, expected: &str| {
        check(&[("YearsBetween", vec![time(end), time(start)], expected)]);
    };
    years("2021-02-28", "2020-02-29", "1");
    years("2021-02-27", "2020-02-29", "0");
    years("2021-03-01", "2020-03-01", "1");
    years("2020-03-01", "2021-03-01", "-1");
    check(&[("MilliSecondsBetween", vec![time("2021-01-01T00:00:00.001Z"), time("2021-01-01")], "1")]);
}
