/*
 * verdict: failed
 * flags: --check memory-leak
 *
 * A block is reachable where a pointer to it lies in memory: at odd offsets, far inside a table, copied with its surroundings, cut in
 * pieces that lie in order, tagged in its low bits. Numbers from which its address could be computed back do not count.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

static struct __attribute__((packed)) {
  char c;
  char *p;
} packed, copy;
static char *table[20000];
static uint32_t halves[2], swapped[2];
static unsigned char bytes[11];
static uintptr_t number, other;
static char large[40000], second[40000];

static char *block(void) { return malloc(4); }

int main(void) {
  unsigned i = nd_uint();
  assume(i < 20000);
  char *p;
  switch (nd_uint8_t()) {
    case 0: packed.p = block(); break;
    case 1:
      packed.p = block();
      copy = packed;
      packed.p = NULL;
      break;
    case 2: table[i] = block(); break;
    case 3:
      p = malloc(8); // want failed memory-leak
      table[i] = p;
      table[nd_uint16_t() % 20000] = NULL;
      break;
    case 4:
      p = block();
      halves[0] = (uint32_t)(uintptr_t)p;
      halves[1] = (uint32_t)((uintptr_t)p >> 32);
      break;
    case 5:
      p = malloc(1); // want failed memory-leak
      swapped[1] = (uint32_t)(uintptr_t)p;
      swapped[0] = (uint32_t)((uintptr_t)p >> 32);
      break;
    case 6:
      p = block();
      for (int k = 0; k < 8; k++) bytes[3 + k] = ((unsigned char *)&p)[k];
      break;
    case 7:
      p = malloc(2); // want failed memory-leak
      for (int k = 0; k < 7; k++) bytes[3 + k] = ((unsigned char *)&p)[k];
      bytes[10] = 1;
      break;
    case 8: number = (uintptr_t)block() | 1; break;
    case 9:
      number = (uintptr_t)malloc(3) ^ 0x5a5a5a5a5a5aU; // want failed memory-leak
      break;
    case 10:
      number = (uintptr_t)malloc(5) << 4; // want failed memory-leak
      break;
    case 11:
      number = -(uintptr_t)malloc(6); // want failed memory-leak
      break;
    case 12:
      number = (uintptr_t)malloc(7) * 3; // want failed memory-leak
      break;
    case 13:
      p = block();
      memcpy(large + 20001, &p, sizeof p);
      memcpy(second + 1, large, sizeof large - 1);
      memset(large, 0, sizeof large);
      break;
    case 14:
      p = malloc(9); // want failed memory-leak
      memcpy(large + 20001, &p, sizeof p);
      memcpy(second + 1, large, sizeof large - 1);
      memset(large, 0, sizeof large);
      second[20003] = 7;
      break;
    case 15: number = (uintptr_t)(block() + 4); break;
    case 16: memcpy(large + i, &(char *){block()}, 8); break;
  }
  return 0;
}
