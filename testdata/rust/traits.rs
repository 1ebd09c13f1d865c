// verdict: failed

extern "C" {
    fn nd_uint() -> u32;
    fn nd_bool() -> bool;
    fn assume(c: bool);
}

trait Shape {
    fn area(&self) -> u32;
    fn twice(&self) -> u32 {
        self.area() * 2 // want failed assertion
    }
}

struct Square(u32);
struct Strip {
    length: u32,
}

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

impl Shape for Strip {
    fn area(&self) -> u32 {
        self.length
    }
}

fn total(shapes: &[&dyn Shape]) -> u32 {
    shapes.iter().map(|s| s.area()).fold(0, |a, b| a.wrapping_add(b))
}

#[no_mangle]
pub extern "C" fn proof_traits() {
    let n = unsafe { nd_uint() };
    unsafe { assume(n < 1000) };
    let (square, strip) = (Square(n), Strip { length: unsafe { nd_uint() } });
    let shape: &dyn Shape = if unsafe { nd_bool() } { &square } else { &strip };
    assert!(total(&[&square, &strip]) == (n * n).wrapping_add(strip.length));
    let t = shape.twice();
    assert!(t % 2 == 0);
}
