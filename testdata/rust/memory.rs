// verdict: failed

extern "C" {
    fn nd_size_t() -> usize;
    fn assume(c: bool);
}

#[no_mangle]
pub extern "C" fn proof_read_behind() {
    let a = [1u8, 2, 3];
    let i = unsafe { nd_size_t() };
    unsafe { assume(i <= 3) };
    let x = unsafe { *a.as_ptr().add(i) }; // want failed out-of-bounds-read
    assert!(x > 0);
}

#[no_mangle]
pub extern "C" fn proof_after_drop() {
    let b = Box::new(7);
    let p: *const i32 = &*b;
    drop(b);
    let x = unsafe { *p }; // want failed use-after-free
    assert!(x == 7);
}

#[no_mangle]
pub extern "C" fn proof_twice() {
    let p = Box::into_raw(Box::new(7));
    let first = unsafe { Box::from_raw(p) };
    assert!(*first == 7);
    drop(first);
    drop(unsafe { Box::from_raw(p) }); // want failed double-free
}

static LIMITS: [u32; 2] = [1, 2];

#[no_mangle]
pub extern "C" fn proof_constant() {
    let p = LIMITS.as_ptr() as *mut u32;
    unsafe { *p = 3 }; // want failed read-only-write
}
