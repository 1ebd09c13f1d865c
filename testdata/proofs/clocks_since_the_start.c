/*
 * verdict: failed
 *
 * A clock that tells the time since the start of something is not negative, so two of its times have a difference;
 * that of the world may be any.
 */
#include <time.h>
#include <unitproof.h>

int main(void) {
  struct timespec before, after;
  if (clock_gettime(CLOCK_MONOTONIC, &before) != 0 || clock_gettime(CLOCK_BOOTTIME, &after) != 0) return 1;
  time_t passed = after.tv_sec - before.tv_sec;
  sassert(after.tv_nsec - before.tv_nsec < 1000000000);
  sassert(passed >= 0);  // want failed assertion
  if (clock_gettime(CLOCK_REALTIME, &before) != 0 || clock_gettime(CLOCK_REALTIME, &after) != 0) return 1;
  passed = after.tv_sec - before.tv_sec;  // want failed signed-overflow
}
