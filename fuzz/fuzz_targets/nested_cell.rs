#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ostracon_fuzz::nested_cell(bytes));
