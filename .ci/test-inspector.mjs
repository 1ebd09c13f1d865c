// Calls every tool of "unitproof mcp" by the inspector of the Model Context Protocol, a client of others, in its
// command-line mode: node .ci/test-inspector.mjs PROGRAM INSPECTOR. Each call starts a process of both.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [program, inspector] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'inspector-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
// Each call has its own server, which finds the results of the last one in the cache.
process.env.XDG_CACHE_HOME = join(work, 'cache');
process.env.XDG_CONFIG_HOME = join(work, 'config'); // no folder is trusted

const maxAnswer = 4096;
const slow = 60_000; // of one call, in milliseconds, on a busy machine
let calls = 0;

// files writes a project and returns its folder.
function files(name, texts) {
  const dir = join(work, name);
  mkdirSync(dir);
  for (const [file, text] of Object.entries({ 'unitproof.toml': '', ...texts })) writeFileSync(join(dir, file), text);
  return dir;
}

// inspect runs the inspector, and returns its status and its output.
function inspect(...args) {
  calls++;
  return new Promise((resolve) => {
    execFile(process.execPath, [inspector, '--cli', ...args], { timeout: slow, maxBuffer: 1 << 24 },
      (error, stdout, stderr) => resolve({ status: error?.killed ? 'no end' : error?.code ?? 0, stdout, stderr }));
  });
}

// request returns the answer to a request of the protocol; target is a command or an address.
async function request(target, ...args) {
  const { status, stdout, stderr } = await inspect(...target, ...args);
  assert.equal(status, 0, `${args.join(' ')}: ${status}\n${stdout}\n${stderr}`);
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}

// answer calls a tool, and returns the text that the model gets.
async function answer(target, tool, args, failed) {
  const list = Object.entries(args).flatMap(([key, value]) =>
    ['--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
  const result = await request(target, '--method', 'tools/call', '--tool-name', tool, ...list);
  const text = result.content[0].text;
  const told = `${tool} ${JSON.stringify(args)}: ${text}`;
  assert.equal(result.isError ?? false, failed, told);
  assert.equal(result.content.length, 1, told);
  assert.ok(Buffer.byteLength(text) <= maxAnswer, `${Buffer.byteLength(text)} bytes, ${told}`);
  if (!failed) assert.deepEqual(JSON.parse(text), result.structuredContent, told);
  return text;
}
const call = async (target, tool, args = {}) => JSON.parse(await answer(target, tool, args, false));
const refuses = async (target, tool, args, words) => assert.match(await answer(target, tool, args, true), words);

const clamp = `#include <unitproof.h>
int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }
void clamp_proof(void) {
  int x = nd_int(), lo = nd_int(), hi = nd_int();
  int r = clamp(x, lo, hi);
  sassert(r <= hi);
}
`;
const dir = files('project', { 'clamp.c': clamp, 'twice.c': 'int twice(int x) { return x / 2 + x / 2; }\n' });
const project = [program, 'mcp', dir];
const tested = new Set();
const tool = (name, args) => (tested.add(name), call(project, name, args));

// A proof from a wrong harness to a strong one.
assert.deepEqual((await tool('proofs')).proofs, [{ name: 'clamp', file: 'clamp.c', verdict: 'not-checked' }]);
const checked = await tool('check', { names: ['clamp'] });
assert.equal(checked.verdict, 'failed');
assert.equal(checked.finding.kind, 'assertion');
assert.match(checked.finding.at, /^clamp\.c:6:/);
assert.deepEqual(checked.proofs[0].ids, [checked.finding.id]);
const id = checked.finding.id;
const finding = await tool('finding', { id });
assert.equal(finding.id, id);
assert.ok(finding.inputs.some((line) => line.startsWith('lo = ')) && finding.steps.length > 0, finding);
assert.equal((await tool('replay', { id })).outcome, 'reproduced');
const c = await tool('replay', { id, as: 'c' });
assert.match(c.text, /clamp/);
const { suggestions } = await tool('suggest', { proof: 'clamp' });
assert.ok(suggestions.some((s) => s.what === 'precondition' && s.text.includes('assume(lo <= hi)')), suggestions);
assert.ok((await tool('cost', { proof: 'clamp' })).lines.length > 0);
const assumed = { file: 'clamp.c', old: '  int r', new: '  assume(lo <= hi);\n  int r' };
const tried = await tool('try', { edits: [assumed] });
assert.equal(tried.verdict, 'proved');
assert.deepEqual(tried.proofs[0].not_done, []);
assert.deepEqual(tried.changes.vanished.map((f) => [f.id, f.now]), [[id, 'proved']]);
assert.deepEqual(tried.changes.assumptions_added, ['clamp: assume lo <= hi']);
writeFileSync(join(dir, 'clamp.c'), clamp.replace(assumed.old, assumed.new)); // a client writes, no tool does
assert.equal((await tool('check')).verdict, 'proved');
const why = await tool('why', { proof: 'clamp' });
assert.match(why.needed.join(), /lo <= hi/);
const strength = await tool('strength', { proof: 'clamp', max: 10 });
assert.ok(strength.survivors.length > 0 && strength.survived > 0, strength);
const created = await tool('new', { function: 'twice', file: 'twice.c' });
assert.equal(created.check.verdict, 'proved');
assert.match(created.text, /twice\(x\)/);
const audit = await tool('audit');
assert.deepEqual([audit.proofs, audit.findings], [1, []]);
assert.match((await tool('explain', { word: 'bounded' })).text, /^# bounded/);
assert.equal((await tool('selftest')).ok, true);
assert.deepEqual(readdirSync(dir).sort(), ['clamp.c', 'twice.c', 'unitproof.toml']);

const listed = (await request(project, '--method', 'tools/list')).tools;
assert.deepEqual(listed.map((t) => t.name).sort(), [...tested].sort());
for (const t of listed) assert.ok(t.description && t.inputSchema.type === 'object' && t.outputSchema, t.name);
const templates = (await request(project, '--method', 'resources/templates/list')).resourceTemplates;
assert.ok(templates.some((t) => t.uriTemplate === 'unitproof://report/{+proof}'), templates);

// Errors.
await refuses(project, 'check', { names: ['clam'] }, /no proof is called "clam"; similar: clamp/);
await refuses(project, 'check', { budget: 1 }, /budget/);
await refuses(project, 'finding', { id: 'x' }, /is not the id of a finding/);
await refuses(project, 'replay', { proof: 'clamp' }, /id/);
await refuses(project, 'try', { edits: [{ file: '../x.c', text: 'int x;' }] }, /is not a file below/);
await refuses(project, 'explain', { word: 'melting' }, /is unknown/);
assert.notEqual((await inspect(...project, '--method', 'tools/call', '--tool-name', 'melt')).status, 0);

// A folder that is not trusted.
const untrusted = [program, 'mcp', files('untrusted',
  { 'unitproof.toml': '[compile]\nflags = ["-I/elsewhere"]\n', 'clamp.c': clamp })];
assert.match((await call(untrusted, 'proofs')).trust, /not trusted/);
for (const [name, args] of [['check', {}], ['try', { edits: [assumed] }], ['why', { proof: 'clamp' }], ['audit', {}],
  ['new', { function: 'clamp', file: 'clamp.c' }]]) await refuses(untrusted, name, args, /not trusted.*-I\/elsewhere/);

// A large project: the answers are small, and each call ends.
const many = {};
for (let i = 0; i < 1000; i++) many[`a_proof_with_a_long_name_${i}_harness.c`] = clamp.replace(/clamp_proof/, 'main');
const huge = [program, 'mcp', files('huge', many)];
const page = await call(huge, 'proofs');
assert.ok(page.total === 1000 && page.proofs.length === page.next, page);
const rest = await call(huge, 'proofs', { from: 990 });
assert.ok(rest.proofs.length === 10 && rest.next === undefined, rest);
assert.equal((await call(huge, 'check', { names: ['a_proof_with_a_long_name_7'] })).verdict, 'failed');

// HTTP, with its token and without.
const token = 'a token of 16 characters or more';
const server = spawn(program, ['mcp', '--http', '127.0.0.1:0', dir],
  { env: { ...process.env, UNITPROOF_MCP_TOKEN: token }, stdio: ['ignore', 'ignore', 'pipe'] });
const ended = new Promise((resolve) => server.on('exit', resolve));
const address = await new Promise((resolve) => createInterface(server.stderr).once('line', resolve));
const http = (secret) => [address, '--transport', 'http', '--header', `Authorization: Bearer ${secret}`];
assert.equal((await call(http(token), 'check')).verdict, 'proved');
assert.equal((await request(http(token), '--method', 'tools/list')).tools.length, listed.length);
await refuses(http(token), 'finding', { id: 'x' }, /is not the id of a finding/);
const wrong = await inspect(...http('wrong'), '--method', 'tools/list');
assert.ok(wrong.status !== 0 && /token is missing or wrong/.test(wrong.stdout + wrong.stderr), wrong);
server.kill('SIGTERM');
assert.equal(await ended, 0);

console.log(`the inspector: ${calls} calls of ${listed.length} tools are as expected`);
