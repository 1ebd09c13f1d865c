// verdict: failed

extern "C" {
    fn nd_size_t() -> usize;
    fn nd_int() -> i32;
    fn assume(c: bool);
}

fn largest(values: &[i32]) -> i32 {
    let mut best = values[0];
    for v in &values[1..] {
        if *v > best {
            best = *v;
        }
    }
    best
}

#[no_mangle]
pub extern "C" fn proof_indices() {
    let values = unsafe { [nd_int(), nd_int(), nd_int(), nd_int()] };
    let m = largest(&values);
    for v in values.iter() {
        assert!(*v <= m);
    }
    let i = unsafe { nd_size_t() };
    unsafe { assume(i <= 4) };
    let v = values[i]; // want failed assertion
    assert!(v <= m);
}
