import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { web } from '../stories/manifests.ts';
import { budgetsBench } from './budgets.ts';
import { spreadsBench } from './spreads.ts';
import { copiesBench } from './copies.ts';
import { bundled } from './bundle.ts';
import { median } from './median.ts';
import type { Print } from './print.ts';
import { pullsBench } from './pulls.ts';
import { rolloutBench } from './rollout.ts';
import { crowdBench } from './runtime-crowd.ts';
import { runBench } from './run.ts';
import { runtimeBench } from './runtime.ts';
import { sizesBench } from './runtime-sizes.ts';
import { sandboxBench } from './sandbox.ts';
import { sidecarsBench } from './sidecars.ts';

/**
 * Measures; asserts nothing. Every number has a baseline of the same run, because machines differ: an empty Node script for
 * commands, JSON.parse of the same objects for decisions.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const kruise = join(root, 'dist', 'kruise.js');

/** The same container in the two styles that manifests are written in, below `containers`. */
const STYLES = {
  'block style': `        resources:
          requests:
            cpu: 100m
            memory: 64Mi
        command:
        - sh
        - -c
        - |
          # starts the server
          exec nginx -g "daemon off;"
`,
  'flow style': `        resources: { requests: { cpu: 100m, memory: 64Mi } } # "naïve"
        command: [sh, -c,  "exec nginx -g \\"daemon off;\\""]
`,
} as const;

const folder = mkdtempSync(join(tmpdir(), 'kruise-bench-'));
try {
  build();
  const parts: Record<string, () => Promise<void> | void> = {
    commands,
    plan,
    built,
    async decide() {
      emptyLoop();
      (await asShipped(new URL('decide.ts', import.meta.url)))(print);
    },
    async forecast() {
      emptyLoop();
      (await asShipped(new URL('forecast.ts', import.meta.url)))(print);
    },
    rollout: async () => rolloutBench(print),
    run: async () => runBench(print, report),
    pulls: async () => pullsBench(print, report),
    sandbox: async () => sandboxBench(print, folder),
    runtime: async () => runtimeBench({ kruise, folder, report }),
    crowd: async () => crowdBench({ kruise, folder, report }),
    sizes: async () => sizesBench({ kruise, folder, report }),
    budgets: async () => budgetsBench({ kruise, folder, report }),
    async spreads() {
      (await asShipped(new URL('placing.ts', import.meta.url)))(print);
      await spreadsBench({ kruise, folder, report });
    },
    copies: async () => copiesBench({ kruise, folder, report }),
    async sidecars() {
      (await asShipped(new URL('reviews.ts', import.meta.url)))(print);
      await sidecarsBench({ kruise, folder, report });
    },
  };
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined)
    throw new Error(`no part is called ${unknown}: ${Object.keys(parts).join(', ')}`);
  for (const [name, measure] of Object.entries(parts))
    if (asked.length === 0 || asked.includes(name)) await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A part that runs in this process, bundled like the shipped program. */
async function asShipped(script: URL): Promise<(print: Print) => void> {
  const file = bundled(script, folder);
  const { bench } = (await import(pathToFileURL(file).href)) as { bench: (print: Print) => void };
  return bench;
}

function print(...[what, ms, baseline]: Parameters<Print>): void {
  const ratio = baseline === undefined ? '' : `${(ms / baseline.ms).toFixed(2)} x ${baseline.name}`;
  process.stdout.write(`${what.padEnd(62)} ${ms.toFixed(ms < 1 ? 3 : 1).padStart(9)} ms  ${ratio}\n`);
}

function report(what: string, value: string, note = ''): void {
  process.stdout.write(`${what.padEnd(62)} ${value.padStart(12)}  ${note}\n`);
}

function build(): void {
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'), join(root, 'cli', 'build', 'main.ts')],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('the build failed');
}

/** The median of several runs of a command, in milliseconds. */
function timed(args: string[], runs: number, cwd = folder): number {
  return median(Array.from({ length: runs }, () => timedOnce(args, cwd)));
}

/**
 * The medians of a command and of an empty Node script, in turns: the speed of a shared machine changes from second to second, and what
 * is divided must have met the same.
 *
 * @param before what is done before each pair
 */
function besideEmpty(
  args: string[],
  runs: number,
  before: () => void = () => {},
): { ms: number; empty: { name: string; ms: number } } {
  writeFileSync(join(folder, 'empty.mjs'), '');
  const pairs = Array.from({ length: runs }, () => {
    before();
    return { empty: timedOnce([join(folder, 'empty.mjs')]), ms: timedOnce(args) };
  });
  const empty = median(pairs.map((pair) => pair.empty));
  return { ms: median(pairs.map(({ ms }) => ms)), empty: { name: 'an empty Node script', ms: empty } };
}

function timedOnce(args: string[], cwd = folder): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { ...process.env, CI: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${String(stderr).slice(0, 500)}`);
  return performance.now() - start;
}

function commands(): void {
  writeFileSync(join(folder, 'empty.mjs'), '');
  for (const [state, image] of [
    ['one-base', 'nginx:1.25'],
    ['one', 'nginx:1.27'],
  ] as const) {
    mkdirSync(join(folder, state), { recursive: true });
    writeFileSync(join(folder, state, 'web.yaml'), web({ image }));
  }
  const empty = { name: 'an empty Node script', ms: timed([join(folder, 'empty.mjs')], 9) };
  print('an empty Node script', empty.ms, undefined);
  print('kruise --version', timed([kruise, '--version'], 9), empty);
  print('kruise plan of one file', timed([kruise, 'plan', 'one', '--base-dir', 'one-base'], 9), empty);
  const clone = join(folder, 'clone');
  cpSync(join(folder, 'one-base'), clone, { recursive: true });
  inGit(
    clone,
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'first'],
  );
  inGit(clone, ['checkout', '--quiet', '-b', 'feature']);
  cpSync(join(folder, 'one', 'web.yaml'), join(clone, 'web.yaml'));
  print('kruise plan of one file in git', timed([kruise, 'plan'], 9, clone), empty);
}

function inGit(cwd: string, ...runs: string[][]): void {
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  for (const args of runs) execFileSync('git', [...author, ...args], { cwd });
}

/** Plans of many changed CloneSets, and what ten times as many cost. The budgets: 16 x, 250 MB, linear. */
function plan(): void {
  const [few, many] = [1_000, 10_000] as const;
  planned(few, 'flow style', 7);
  const ms = planned(few, 'block style', 7);
  const tenfold = planned(many, 'block style', 1);
  report('ten times as many CloneSets take', `${(tenfold / ms).toFixed(1)} x`, 'linear: 10 x');
  report('load of the machine meanwhile', loadavg()[0]?.toFixed(1) ?? '', `${cpus().length} CPUs`);
}

/** A build of many CloneSets, each of which is written anew. The budget: that of a plan of as many, 16 x. */
function built(): void {
  const count = 1_000;
  const state = `built-${count}`;
  const bytes = writeCloneSets(state, count, 'nginx:1.25', 'block style');
  writeFileSync(join(folder, state, 'kruise.yaml'), 'build: [{match: {}, as: Kubernetes}]\n');
  const command = [kruise, 'build', state, '--out', 'built'];
  const size = `${(bytes / 1e6).toFixed(1)} MB of YAML`;
  const { ms, empty } = besideEmpty(command, 5);
  print(`kruise build of ${count} CloneSets (${size})`, ms, empty);
  const { userCPUTime, systemCPUTime, maxRSS } = usageOf(command);
  report('  peak memory', `${(maxRSS / 1024).toFixed(0)} MB`);
  report('  CPU time', `${((userCPUTime + systemCPUTime) / 1e6).toFixed(1)} s`);
}

/** Runs a command once more, and returns what it used. */
function usageOf(args: string[]): NodeJS.ResourceUsage {
  const [hook, result] = [join(folder, 'usage.cjs'), join(folder, 'usage.json')];
  const write = `require('fs').writeFileSync(${JSON.stringify(result)}, JSON.stringify(process.resourceUsage()))`;
  writeFileSync(hook, `process.on('exit', () => ${write});`);
  timed(['--require', hook, ...args], 1);
  return JSON.parse(readFileSync(result, 'utf8')) as NodeJS.ResourceUsage;
}

/** Writes CloneSets in files of ten. Returns how many characters there are. */
function writeCloneSets(state: string, count: number, image: string, style: keyof typeof STYLES): number {
  let bytes = 0;
  mkdirSync(join(folder, state), { recursive: true });
  for (let file = 0; file < count / 10; file++) {
    const documents = Array.from({ length: 10 }, (_, i) =>
      `${web({ image, env: '"info"' })}${STYLES[style]}`.replaceAll(
        /\b(name|app): web\b/g,
        `$1: web-${file * 10 + i}`,
      ),
    );
    const text = documents.join('---\n');
    bytes += text.length;
    writeFileSync(join(folder, state, `web-${file}.yaml`), text);
  }
  return bytes;
}

/**
 * Plans two states of `count` CloneSets, every one with another image, in files of ten: where all plans are to be written, and where they
 * stand. Returns milliseconds of the latter.
 */
function planned(count: number, style: keyof typeof STYLES, runs: number): number {
  let bytes = 0;
  const [base, head] = [`base-${count}-${style}`, `head-${count}-${style}`];
  for (const [state, image] of [
    [base, 'nginx:1.25'],
    [head, 'nginx:1.27'],
  ] as const)
    bytes += writeCloneSets(state, count, image, style);
  const command = [kruise, 'plan', head, '--base-dir', base];
  const size = `${(bytes / 1e6).toFixed(1)} MB of YAML in ${style}`;
  const plans = join(folder, head, 'plans');
  // A disk that has just deleted thousands of files is slow to create others.
  let away = 0;
  const first = besideEmpty(command, runs, () => {
    if (existsSync(plans)) renameSync(plans, join(folder, `${head}-away-${away++}`));
  });
  print(`kruise plan of ${count} changed CloneSets (${size})`, first.ms, first.empty);
  print('  the same files alone, which is the part of the disk', writtenAlone(plans), first.empty);
  const { ms, empty } = besideEmpty(command, runs);
  print('  where its plans stand', ms, empty);
  const { maxRSS, userCPUTime, systemCPUTime } = usageOf(command);
  report('  peak memory', `${(maxRSS / 1024).toFixed(0)} MB`);
  report('  CPU time', `${((userCPUTime + systemCPUTime) / 1e6).toFixed(1)} s`);
  return ms;
}

/** Milliseconds to write the files below a folder once more, beside it: what any program pays that writes as many. */
function writtenAlone(from: string): number {
  const to = `${from}-alone`;
  const entries = readdirSync(from, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      folder: join(to, relative(from, parentPath)),
      name,
      text: readFileSync(join(parentPath, name)),
    }));
  const start = performance.now();
  for (const { folder: own, name, text } of files) {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, name), text);
  }
  const ms = performance.now() - start;
  rmSync(to, { recursive: true });
  return ms;
}

/** The speed of the machine in the same run. */
function emptyLoop(): void {
  const start = performance.now();
  let iterations = 0;
  while (iterations < 1e9) iterations += 1;
  print(`an empty loop of ${iterations / 1e6} million iterations`, performance.now() - start, undefined);
}
