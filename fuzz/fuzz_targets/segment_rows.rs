#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ostracon_fuzz::segment_rows(bytes));
