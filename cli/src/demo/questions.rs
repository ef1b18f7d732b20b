//! What the demo asks, and what each question shows.

/// A question.
pub(super) struct Question {
    /// What is asked, for people.
    pub(super) asks: &'static str,
    /// What it shows of the store.
    pub(super) shows: &'static str,
    pub(super) sql: &'static str,
    /// Whether EXPLAIN ANALYZE is printed.
    pub(super) explain: bool,
}

const fn question(asks: &'static str, shows: &'static str, sql: &'static str) -> Question {
    Question { asks, shows, sql, explain: false }
}

const fn explained(asks: &'static str, shows: &'static str, sql: &'static str) -> Question {
    Question { asks, shows, sql, explain: true }
}

/// The questions, from the narrowest to the widest.
pub(super) const QUESTIONS: [Question; 13] = [
    explained(
        "How late was Hawaiian 51 on the morning of 9 January?",
        "the whole key: one row is read",
        "SELECT tailnum, dep_delay, arr_delay FROM flights
WHERE origin = 'JFK' AND departs = '2013-01-09 09:00:00' AND carrier = 'HA' AND flight = 51",
    ),
    explained(
        "What was cancelled at Newark on the evening before the blizzard of 9 February?",
        "key range and value filter: rows outside the evening are never read, only matches come back",
        "SELECT departs, carrier, flight, dest FROM flights
WHERE origin = 'EWR' AND departs BETWEEN '2013-02-08 18:00:00' AND '2013-02-08 23:59:59' AND dep_time IS NULL
ORDER BY departs, carrier, flight",
    ),
    question(
        "How many departures did each airport lose on 8 and 9 February?",
        "an IN list of leading key parts becomes three ranges",
        "SELECT origin, count(*) AS planned, count(dep_time) AS left FROM flights
WHERE origin IN ('EWR', 'JFK', 'LGA') AND departs >= '2013-02-08' AND departs < '2013-02-10'
GROUP BY origin ORDER BY origin",
    ),
    explained(
        "Which departures were more than twelve hours late?",
        "a value filter runs in the store: every row is read, few are handed over",
        "SELECT origin, departs, carrier, flight, dep_delay FROM flights WHERE dep_delay > 720 ORDER BY dep_delay DESC",
    ),
    question(
        "Which flights came down somewhere else?",
        "NULL logic in the store: left, but never arrived",
        "SELECT carrier, count(*) AS diverted FROM flights WHERE dep_time IS NOT NULL AND arr_delay IS NULL
GROUP BY carrier ORDER BY diverted DESC, carrier LIMIT 5",
    ),
    question(
        "What were the last five departures of LaGuardia?",
        "a descending key order with a limit: the scan runs backwards and stops",
        "SELECT origin, departs, carrier, flight, dest FROM flights WHERE origin = 'LGA'
ORDER BY origin DESC, departs DESC, carrier DESC, flight DESC LIMIT 5",
    ),
    question(
        "Who flies to Honolulu, or from Kennedy before five in the morning of New Year's Day?",
        "OR across key and value: no range can be had, the filter still runs in the store",
        "SELECT carrier, dest, count(*) AS flights FROM flights
WHERE dest = 'HNL' OR (origin = 'JFK' AND departs < '2013-01-01 05:00:00')
GROUP BY carrier, dest ORDER BY carrier, dest",
    ),
    question(
        "Which aircraft have a tail number that begins with N14?",
        "a LIKE prefix on the row id is a range",
        "SELECT maker, count(*) AS aircraft, max(seats) AS most_seats FROM planes WHERE tailnum LIKE 'N14%'
GROUP BY maker ORDER BY aircraft DESC, maker LIMIT 5",
    ),
    question(
        "How many aircraft did Airbus build, by the map of the other table?",
        "a map look-up is a cell: the filter runs on the same cells under another table",
        "SELECT made['model'] AS model, count(*) AS aircraft FROM plane_makers WHERE made['maker'] = 'AIRBUS'
GROUP BY made['model'] ORDER BY aircraft DESC, model LIMIT 5",
    ),
    question(
        "How gusty was it where more than 40 miles an hour were measured?",
        "a filter on doubles",
        "SELECT origin, count(*) AS hours, max(wind_gust) AS strongest FROM weather WHERE wind_gust > 40
GROUP BY origin ORDER BY origin",
    ),
    question(
        "How late did flights leave when it blew, and when it did not?",
        "a join on leading key parts; nothing to push down but the columns",
        "SELECT w.wind_gust IS NOT NULL AS gusts, count(*) AS flights, round(avg(f.dep_delay), 1) AS average_delay
FROM flights f JOIN weather w ON f.origin = w.origin AND date_trunc('hour', f.departs) = w.observed
GROUP BY gusts ORDER BY gusts",
    ),
    question(
        "Which carriers kept their time?",
        "all rows are needed: pushdown must not cost anything",
        "SELECT a.name, count(*) AS flights, round(avg(f.arr_delay), 1) AS average_delay
FROM flights f JOIN airlines a ON f.carrier = a.carrier GROUP BY a.name ORDER BY average_delay, a.name LIMIT 5",
    ),
    question(
        "And a question that no row can answer?",
        "a contradiction reads nothing at all",
        "SELECT count(*) AS flights FROM flights WHERE origin > 'LGA' AND origin < 'JFK'",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_is_one_statement() {
        for question in &QUESTIONS {
            assert!(
                !question.sql.contains(';') && question.asks.ends_with('?') && !question.shows.is_empty()
            );
        }
        assert!(QUESTIONS.iter().any(|question| question.explain));
    }
}
