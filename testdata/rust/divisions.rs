// verdict: failed

extern "C" {
    fn nd_int() -> i32;
    fn nd_uint() -> u32;
    fn assume(c: bool);
}

#[no_mangle]
pub extern "C" fn proof_divisions() {
    let (a, b) = unsafe { (nd_int(), nd_int()) };
    let q = a / b; // want failed assertion
    unsafe { assume(a >= 0 && b > 0 && a < 100) };
    assert!(q != 1 || a % b == a - b);
    let n = unsafe { nd_uint() };
    let r = 10 % n; // want failed assertion
    assert!(r < n && r <= 10);
}

#[no_mangle]
pub extern "C" fn proof_least() {
    let a = unsafe { nd_int() };
    let b = -a; // want failed assertion
    unsafe { assume(b < 0) };
    assert!(a.abs() == a);
}
