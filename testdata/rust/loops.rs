// verdict: proved

extern "C" {
    fn nd_uint() -> u32;
    fn assume(c: bool);
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        let r = a % b;
        a = b;
        b = r;
    }
    a
}

#[no_mangle]
pub extern "C" fn proof_loops() {
    let (a, b) = unsafe { (nd_uint(), nd_uint()) };
    unsafe { assume(a > 0 && a < 8 && b > 0 && b < 8) };
    let g = gcd(a, b);
    assert!(a % g == 0 && b % g == 0);
    let mut sum = 0;
    'outer: for i in 0..10u32 {
        for j in (0..i).rev() {
            if i * j > 20 {
                break 'outer;
            }
            sum += j;
        }
    }
    assert_eq!(sum, 20);
}
