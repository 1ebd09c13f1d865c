// up_z3_load loads libz3 from a file, which is looked for as the system does it. It returns NULL, or why it could not;
// that text holds until the thread calls again.
const char *up_z3_load(const char *file);
