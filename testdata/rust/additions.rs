// verdict: failed

extern "C" {
    fn nd_int() -> i32;
    fn assume(c: bool);
}

fn mean(a: i32, b: i32) -> i32 {
    (a + b) / 2 // want failed assertion
}

#[no_mangle]
pub extern "C" fn proof_additions() {
    let (a, b) = unsafe { (nd_int(), nd_int()) };
    unsafe { assume(a >= 0 && b >= 0) };
    let m = mean(a, b);
    assert!(m >= 0);
}
