// verdict: proved

extern "C" {
    fn nd_uint8_t() -> u8;
    fn nd_int() -> i32;
}

fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0u8, |sum, b| sum.wrapping_add(*b))
}

#[no_mangle]
pub extern "C" fn proof_wrapping() {
    let bytes = unsafe { [nd_uint8_t(), nd_uint8_t(), nd_uint8_t()] };
    let sum = checksum(&bytes);
    assert_eq!(sum, bytes[2].wrapping_add(bytes[0]).wrapping_add(bytes[1]));
    let x = unsafe { nd_int() };
    assert_eq!(x.wrapping_neg().wrapping_neg(), x);
    assert!(x.saturating_add(1) >= x);
    assert!(x.checked_mul(2).map_or(true, |y| y / 2 == x));
    let (shifted, over) = 1u32.overflowing_shl(33);
    assert!(over && shifted == 2);
}
