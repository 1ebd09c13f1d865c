// verdict: failed

extern "C" {
    fn nd_size_t() -> usize;
    fn nd_uint8_t() -> u8;
    fn assume(c: bool);
}

#[no_mangle]
pub extern "C" fn proof_slices() {
    let bytes = unsafe { [nd_uint8_t(), nd_uint8_t(), nd_uint8_t(), nd_uint8_t()] };
    let (from, to) = unsafe { (nd_size_t(), nd_size_t()) };
    unsafe { assume(from <= 4) };
    let tail = &bytes[from..];
    assert!(tail.len() == 4 - from);
    unsafe { assume(to <= 4) };
    let part = &bytes[from..to]; // want failed assertion
    assert!(part.len() == to - from);
    let (left, right) = bytes.split_at(from);
    assert!(left.len() + right.len() == bytes.len());
    if let [first, .., last] = part {
        assert!(*first == bytes[from] && *last == bytes[to - 1]);
    }
}
