// verdict: failed

extern "C" {
    fn nd_int() -> i32;
}

fn position(values: &[i32], wanted: i32) -> Option<usize> {
    for (i, v) in values.iter().enumerate() {
        if *v == wanted {
            return Some(i);
        }
    }
    None
}

fn half(n: i32) -> Result<i32, &'static str> {
    if n % 2 == 0 {
        Ok(n / 2)
    } else {
        Err("odd")
    }
}

#[no_mangle]
pub extern "C" fn proof_options() {
    let values = unsafe { [nd_int(), nd_int(), nd_int()] };
    if let Some(i) = position(&values, 7) {
        assert_eq!(values[i], 7);
    }
    let i = position(&values, values[2]).unwrap();
    assert!(i <= 2);
    let j = position(&values, 8).unwrap(); // want failed assertion
    let k = position(&values, 8).expect("8 is there");
    assert!(j == k);
    let h = half(values[0]).unwrap(); // want failed assertion
    assert!(h + h == values[0]);
    let h = half(values[1]).unwrap_or(0);
    assert!(h <= i32::MAX / 2);
}
