// verdict: vacuous

extern "C" {
    fn nd_uint8_t() -> u8;
    fn assume(c: bool);
}

#[no_mangle]
pub extern "C" fn proof_vacuous() {
    let n = unsafe { nd_uint8_t() };
    unsafe { assume(n > 10) };
    if n < 5 {
        assert!(n == 3); // want vacuous assertion
    }
    assert!(n > 9);
}
