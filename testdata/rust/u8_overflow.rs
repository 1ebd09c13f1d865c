// verdict: failed

extern "C" {
    fn nd_uint8_t() -> u8;
    fn assume(c: bool);
}

#[no_mangle]
pub extern "C" fn proof_u8_overflow() {
    let a = unsafe { nd_uint8_t() };
    unsafe { assume(a < 100) };
    let twice = a * 2;
    assert!(twice >= a);
    let sum = twice + a; // want failed assertion
    let less = a - 1; // want failed assertion
    assert!(sum > less);
    let shifted = 1u8 << a; // want failed assertion
    let _ = shifted;
}
