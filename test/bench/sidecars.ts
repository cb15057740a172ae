import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { makeIdentity } from 'kruise-sandbox/http';
import type { HttpCluster } from '../../runtime/api/http-cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { reviewOf, shareOf } from './reviews.ts';
import { pause, programs, startSandbox } from './runtime-processes.ts';
import { type Bench, type BenchSetup, connect, type Cost, measured, mib, PODS } from './runtime-setup.ts';
import { updateOf } from './runtime-sizes.ts';
import { watchPods } from './runtime-watch.ts';
import { benchSet } from './sidecar-crowd.ts';

const NAMESPACE = 'shop';
const CROWD = 10_000;
const SETS = 20;
const MOST_MIB = 180;
const CHANGES_SECONDS = 30;
const CHANGES_A_SECOND = 20;
const REVIEWS = 2_000;
const WARM_UP = 500;

/** SidecarSets in running pods: an update in place beside that of a CloneSet, and many sets over many pods. */
export async function sidecarsBench(options: Bench): Promise<void> {
  const { report } = options;
  const ofCloneSet = await updateOf(PODS, options);
  const ofSet = await updateOfSet(options);
  costsOf('CloneSet', ofCloneSet, options);
  costsOf('SidecarSet', ofSet, options);
  const ratio = (of: (cost: Cost) => number): string => `${(of(ofSet) / of(ofCloneSet)).toFixed(2)} x`;
  report(
    'sandbox: SidecarSet to CloneSet, CPU a pod',
    ratio(({ cpuSeconds }) => cpuSeconds),
    `${ratio(({ calls }) => calls.podWrites)} the pod writes, ${ratio(({ ms }) => ms)} the time`,
  );
  await manySets(options);
  report('load of the machine now', loadavg()[0]?.toFixed(1) ?? '');
}

function costsOf(kind: string, cost: Cost, { report }: Bench): void {
  const { calls, cpuSeconds, ms, stallMs, peakKiB } = cost;
  report(
    `sandbox: ${kind}, CPU of the runtime a pod, ${PODS} updated`,
    `${((1000 * cpuSeconds) / PODS).toFixed(2)} ms`,
    `${(calls.podWrites / PODS).toFixed(2)} pod writes a pod, ${calls.writes - calls.podWrites - calls.events} others, ${calls.conflicts} conflicts, ${calls.reconciles} reconciles; ${(ms / 1000).toFixed(1)} s; stall ${stallMs.toFixed(0)} ms; peak ${mib(peakKiB)} MiB`,
  );
}

interface Scene extends BenchSetup {
  kubeconfig: string;
  owners: number;
}

/** Starts a sandbox where sets are injected already, and the runtime there; they are stopped when `run` has ended. */
async function withSets(
  { kruise, folder, report }: Bench,
  crowd: { pods: number; each: number; sets: number },
  run: (setup: Scene) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox(folder, crowd);
  const { kubeconfig } = sandbox;
  const cluster = await connect(kubeconfig);
  const profiles = process.env['KRUISE_BENCH_PROFILES'];
  const runtime = await programs({ kruise, folder, kubeconfig, profiles }).runtime();
  try {
    const watcher = await watchPods(cluster, NAMESPACE);
    const owners = crowd.pods / crowd.each;
    const common = { title: 'sandbox', cluster, namespace: NAMESPACE, runtime, watcher, report };
    await untilReported(
      cluster,
      Array.from({ length: crowd.sets }, (_, index) => index),
      crowd.each,
    );
    await run({ ...common, kubeconfig, owners });
    watcher.stop();
  } finally {
    await runtime.stop();
    cluster.close();
    sandbox.stop();
  }
}

/** Waits until the status of each of these sets has so many updated and ready pods. */
async function untilReported(cluster: HttpCluster, sets: readonly number[], pods: number): Promise<void> {
  for (const index of sets) {
    const begun = performance.now();
    for (;;) {
      const { metadata, ...set } = await cluster.get(sidecarSets, { name: `set-${index}` });
      const { observedGeneration, updatedReadyPods } = objectOf(set['status']);
      if (observedGeneration === metadata.generation && updatedReadyPods === pods) break;
      if (performance.now() - begun > 180_000)
        throw new Error(`set-${index} does not get ready: ${JSON.stringify(set['status'])}`);
      await pause(100);
    }
  }
}

/** One change of the image of the first set, whose pods are updated 200 at a time. */
async function updated({ owners, ...setup }: Scene): Promise<Cost> {
  const { spec } = benchSet(0, { owners, image: 'proxy:2' });
  return measured(setup, async () => {
    setup.watcher.expect('proxy:2');
    const body = { spec: objectOf(spec) };
    await setup.cluster.patch(sidecarSets, { name: 'set-0' }, { type: 'merge', body });
    await untilReported(setup.cluster, [0], PODS);
  });
}

async function updateOfSet(options: Bench): Promise<Cost> {
  let cost: Cost | undefined;
  await withSets(options, { pods: PODS, each: PODS, sets: 1 }, async (setup) => {
    await pause(2_000);
    cost = await updated(setup);
  });
  if (cost === undefined) throw new Error('nothing was measured');
  return cost;
}

/** Many sets over many pods, each of which has two: at the start, while pods change their status, and one set changed. */
async function manySets(options: Bench): Promise<void> {
  const { report } = options;
  const title = `sandbox: ${SETS} sets, ${CROWD} pods`;
  await withSets(options, { pods: CROWD, each: PODS, sets: SETS }, async (setup) => {
    await pause(3_000);
    const start = await setup.runtime.read();
    memory(report, `${title}, start`, start);
    const rest = await measured(setup, async () => pause(5_000));
    report(`${title}, writes in five seconds of rest`, String(rest.calls.writes), '0 allowed');
    const churn = await measured(setup, async () => changes(setup.cluster));
    const count = CHANGES_SECONDS * CHANGES_A_SECOND;
    report(
      `${title}, CPU per change of a pod's readiness`,
      `${((1000 * churn.cpuSeconds) / count).toFixed(2)} ms`,
      `${CHANGES_A_SECOND} changes a second for ${CHANGES_SECONDS} s: ${churn.cpuSeconds.toFixed(1)} s; ${churn.calls.reconciles} reconciles, ${churn.calls.writes} writes`,
    );
    memory(report, `${title}, ${count} changes of pods`, churn);
    const update = await updated(setup);
    costsOf(`one of ${SETS} SidecarSets`, update, options);
    memory(report, `${title}, ${PODS} updated`, update);
    await reviewsOverTls(options, setup.kubeconfig);
  });
}

function memory(
  report: Bench['report'],
  what: string,
  { peakKiB, cpuSeconds, stallMs, stalls }: Pick<Cost, 'peakKiB' | 'cpuSeconds' | 'stallMs' | 'stalls'>,
): void {
  report(
    `${what}: peak memory`,
    `${mib(peakKiB)} MiB`,
    `${MOST_MIB} allowed; CPU ${cpuSeconds.toFixed(1)} s; longest stall ${stallMs.toFixed(0)} ms, ${stalls} over 30`,
  );
}

/** Pods of all sets lose their readiness and get it back, at an even rate. */
async function changes(cluster: HttpCluster): Promise<void> {
  const begun = performance.now();
  for (let index = 0; index < CHANGES_SECONDS * CHANGES_A_SECOND; index += 1) {
    const pod = index >> 1;
    const name = `web-${pod % (CROWD / PODS)}-${pod}`;
    const status = { conditions: [{ type: 'Ready', status: index % 2 === 0 ? 'False' : 'True' }] };
    await cluster.patch(
      resources.Pod,
      { namespace: NAMESPACE, name },
      { type: 'strategic', body: { status } },
      { subresource: 'status' },
    );
    await pause(begun + ((index + 1) * 1000) / CHANGES_A_SECOND - performance.now());
  }
}

/** The same reviews as users have them: an API server that keeps its connection, and the admission as a process. */
async function reviewsOverTls(options: Bench, kubeconfig: string): Promise<void> {
  const { kruise, report } = options;
  const folder = mkdtempSync(join(options.folder, 'admission-'));
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates);
  const { key, certificate } = await makeIdentity();
  writeFileSync(join(certificates, 'tls.key'), key);
  writeFileSync(join(certificates, 'tls.crt'), certificate);
  const make = programs({ kruise, folder, kubeconfig, profiles: undefined });
  const admission = await make.admission(certificates);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: certificate });
  const [matched, unmatched]: [number[], number[]] = [[], []];
  const timed = async (index: number, times: number[], labels: JsonObject, patched: boolean) => {
    const start = performance.now();
    const answer = await asked(admission.url, agent, JSON.stringify(reviewOf(index, labels)));
    if (index >= WARM_UP) times.push(performance.now() - start);
    if (answer.includes('"patch"') !== patched) throw new Error(`not the answer: ${answer.slice(0, 300)}`);
  };
  try {
    await admission.read();
    // In turn, so that other work of the machine slows both down.
    for (let index = 0; index < WARM_UP + REVIEWS; index += 1) {
      await timed(index, matched, { app: 'web-0' }, true);
      await timed(index, unmatched, { app: 'other' }, false);
    }
    const { cpuSeconds, peakKiB } = await admission.read();
    for (const [name, share] of [
      ['median', 0.5],
      ['p99', 0.99],
    ] as const)
      report(
        `review over TLS of a pod that gets 2 of ${SETS} sets, ${name}`,
        `${shareOf(matched)(share).toFixed(2)} ms`,
        `${(shareOf(matched)(share) / shareOf(unmatched)(share)).toFixed(2)} x one that gets none`,
      );
    report(
      'CPU of the admission a review, one of two gets sets',
      `${((1000 * cpuSeconds) / (2 * (REVIEWS + WARM_UP))).toFixed(2)} ms`,
      `peak ${mib(peakKiB)} MiB`,
    );
  } finally {
    agent.destroy();
    await admission.stop();
  }
}

async function asked(url: string, agent: Agent, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
