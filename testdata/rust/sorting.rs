// verdict: proved

extern "C" {
    fn nd_uint8_t() -> u8;
}

fn sort<T: PartialOrd + Copy>(values: &mut [T]) {
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
        }
    }
}

#[no_mangle]
pub extern "C" fn proof_sorting() {
    let mut v = unsafe { [nd_uint8_t(), nd_uint8_t(), nd_uint8_t()] };
    let before = v;
    sort(&mut v);
    assert!(v[0] <= v[1] && v[1] <= v[2]);
    assert!(before.contains(&v[0]));
    let sum = |a: &[u8; 3]| a.iter().map(|b| *b as u32).sum::<u32>();
    assert_eq!(sum(&v), sum(&before));
}
