// verdict: failed

extern "C" {
    fn nd_int() -> i32;
    fn nd_size_t() -> usize;
    fn assume(c: bool);
}

#[no_mangle]
pub extern "C" fn proof_vectors() {
    let mut v: Vec<i32> = Vec::new();
    let (a, b) = unsafe { (nd_int(), nd_int()) };
    v.push(a);
    v.push(b);
    assert!(v.len() == 2);
    assert!(v[0] == a && v[1] == b);
    let i = unsafe { nd_size_t() };
    unsafe { assume(i < 3) };
    let x = v[i]; // want failed assertion
    assert!(x == a || x == b);
    let last = v.pop();
    assert!(last == Some(b));
    v.pop();
    assert!(v.is_empty());
    assert!(v.pop().is_none());
}
