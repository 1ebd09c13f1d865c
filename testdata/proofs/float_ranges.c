/* verdict: failed
   Filters, controllers and clamps of floats that run for any time: their ranges are invariants. In the last two
   functions something is wrong. */
#include <unitproof.h>

static float clamp(float v, float least, float most) { return v < least ? least : v > most ? most : v; }

static float sample(float least, float most) {
  float x = nd_float();
  assume(x >= least && x <= most);
  return x;
}

void smoothing_proof(void) {
  float mean = 0;
  int n = nd_int();
  assume(n >= 0);
  for (int i = 0; i < n; i++) mean = 0.9f * mean + 0.1f * sample(-10, 10);
  sassert(mean >= -20 && mean <= 20);
}

void controller_proof(void) {
  float integral = 0;
  while (nd_bool()) {
    float error = sample(0, 100) - sample(-50, 150);
    integral = clamp(integral + 0.01f * error, -10, 10);
    unsigned char duty = (unsigned char)clamp(2 * error + integral, 0, 255);
    sassert(duty <= 255);
  }
  sassert(integral >= -10 && integral <= 10);
}

void phase_proof(void) {
  static const short wave[17] = {0, 383, 707, 924, 1000, 924, 707, 383, 0, -383, -707, -924, -1000, -924, -707, -383, 0};
  float phase = 0;
  while (nd_bool()) {
    phase += sample(0, 0.5f);
    if (phase >= 1) phase -= 1;
    int i = (int)(phase * 16);
    sassert(wave[i] <= 1000);
  }
}

void two_filters_proof(void) {
  double a = 0, b = 0;
  while (nd_bool()) {
    a = 0.8 * a + 0.2 * sample(-1, 1);
    b = 0.7 * b + 0.3 * a;
    sassert(b > -3 && b < 3 && a == a);
  }
}

void gain_proof(void) {
  double s = 0;
  while (nd_bool()) {
    s = 0.5 * s + sample(0, 1);
    sassert(s <= 1.5);  // want failed assertion
  }
}

void wrapped_too_late_proof(void) {
  static const short wave[16];
  float phase = 0;
  while (nd_bool()) {
    phase += sample(0, 0.5f);
    if (phase > 1) phase -= 1;
    int i = (int)(phase * 16);
    sassert(wave[i] == 0);  // want failed array-bounds
  }
}
