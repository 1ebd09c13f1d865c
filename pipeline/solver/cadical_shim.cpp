#include "cadical_shim.h"

#include <atomic>
#include <cadical.hpp>

// Each conflict derives one clause, so counting the clauses offered to the
// learner counts the conflicts; learning() declines them, so none is copied.
struct up_cadical final : CaDiCaL::Terminator, CaDiCaL::Learner {
  CaDiCaL::Solver solver;
  std::atomic<int> stop{0};
  int64_t conflicts = 0;

  up_cadical() {
    solver.set("quiet", 1);
    solver.connect_terminator(this);
    solver.connect_learner(this);
  }
  ~up_cadical() override {
    solver.disconnect_terminator();
    solver.disconnect_learner();
  }
  bool terminate() override { return stop.load(std::memory_order_relaxed) != 0; }
  bool learning(int) override {
    conflicts++;
    return false;
  }
  void learn(int) override {}
};

up_cadical *up_cadical_new(void) { return new up_cadical(); }
void up_cadical_free(up_cadical *s) { delete s; }
int up_cadical_option(up_cadical *s, const char *name, int value) { return s->solver.set(name, value); }

void up_cadical_add(up_cadical *s, const int32_t *lits, size_t n) {
  for (size_t i = 0; i < n; i++) s->solver.add(lits[i]);
}

int up_cadical_solve(up_cadical *s, const int32_t *assumptions, size_t n, int conflicts) {
  for (size_t i = 0; i < n; i++) s->solver.assume(assumptions[i]);
  if (conflicts >= 0) s->solver.limit("conflicts", conflicts);
  return s->solver.solve();
}

void up_cadical_stop(up_cadical *s) { s->stop.store(1, std::memory_order_relaxed); }
void up_cadical_arm(up_cadical *s) { s->stop.store(0, std::memory_order_relaxed); }
int up_cadical_stopped(up_cadical *s) { return s->stop.load(std::memory_order_relaxed); }
int64_t up_cadical_conflicts(up_cadical *s) { return s->conflicts; }

void up_cadical_values(up_cadical *s, const int32_t *vars, size_t n, uint8_t *out) {
  for (size_t i = 0; i < n; i++) out[i] = s->solver.val(vars[i]) > 0;
}

void up_cadical_failed(up_cadical *s, const int32_t *lits, size_t n, uint8_t *out) {
  for (size_t i = 0; i < n; i++) out[i] = s->solver.failed(lits[i]);
}
