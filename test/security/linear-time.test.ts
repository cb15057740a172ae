import { describe, expect, test } from 'vitest';
import { copyChange } from '../../compiler/reach/copies.ts';
import { sharedRules } from '../../compiler/validate/copy-rules.ts';
import { parsePath } from '../../compiler/validate/schema-errors.ts';
import { excerptOf, refusalOf } from '../../runtime/api/refusal.ts';
import { judgePrometheus } from '../../runtime/check/answer.ts';
import { createIntern } from '../../runtime/observe/intern.ts';
import { checkEnv } from '../../schemas/pods/envValidation.ts';
import { withoutStop } from '../../semantics/plan/capacity.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Sidecar } from '../../semantics/sidecarset/normalize.ts';
import { injectedContainers } from '../../semantics/sidecarset/injected-containers.ts';
import { type DisruptionLimit, withinLimits } from '../../semantics/limits/disruption.ts';
import { earlierConflicts } from '../../semantics/resourcedistribution/earlier-conflicts.ts';
import { distributionGit } from '../../semantics/resourcedistribution/git.ts';
import { cpuMs } from '../cpu-time.ts';

/** Milliseconds of CPU time; a pattern that begins anew at each character needs a minute for these texts. */
const MOST_MS = 2_000;

const sidecar = {
  name: 'agent',
  container: { name: 'agent' },
  emptyImage: undefined,
  isBefore: false,
  sharesVolumes: true,
  sharesDevices: false,
  transferEnv: [],
} as unknown as Sidecar;

function podWith(subPathExpr: string) {
  const containers = [{ name: 'main', env: [{ name: 'A', value: '1' }], volumeMounts: [{ subPathExpr }] }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers } };
}

function sample(value: string): string {
  return JSON.stringify({
    status: 'success',
    data: { resultType: 'scalar', result: [0, value] },
  });
}

describe('security: no text of users takes more than linear time', () => {
  test.each<[what: string, run: () => unknown]>([
    ['a refusal that echoes a name of dots', () => withoutStop(`${'.'.repeat(150_000)}!`)],
    [
      'a number of a check of 1 MiB',
      () => judgePrometheus({ status: 200, body: sample(`${'1'.repeat(2 ** 20)}!`) }, {}),
    ],
    ['a path of a mount', () => injectedContainers(sidecar, podWith('$('.repeat(60_000)), undefined)],
    [
      'a path of a mount of dollars',
      () => injectedContainers(sidecar, podWith('$'.repeat(150_000)), undefined),
    ],
    [
      'a field path of a variable',
      () =>
        checkEnv(
          [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "['".repeat(150_000) } } }],
          'env',
        ),
    ],
    ['a path with brackets', () => parsePath('['.repeat(300_000))],
    ['a page of brackets', () => excerptOf('<script'.repeat(50_000))],
  ])('%s', (_, run) => {
    expect(cpuMs(run)).toBeLessThan(MOST_MS);
  });
});

describe('security: lists of namespaces take no more than linear time', () => {
  const sized = (size: number, from = 0): KubeObject => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: `x${from}` },
    spec: {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
      targets: {
        includedNamespaces: { list: Array.from({ length: size }, (_, at) => ({ name: `n${from + at}` })) },
      },
    },
  });
  const pods = { workloads: [], namespaces: new Map() };
  const state = (object: KubeObject) => ({ manifest: { type: { git: distributionGit }, object }, pods });
  const change = (before: KubeObject, after: KubeObject) =>
    copyChange(...([state(before), state(after)] as unknown as Parameters<typeof copyChange>));

  const most = 10_000;
  test.each<[what: string, run: () => unknown]>([
    [
      'forty pairs with other lists each',
      () => {
        const one = sized(most);
        for (let at = 1; at <= 40; at += 1) distributionGit.conflict(one, sized(most, at * most));
      },
    ],
    ['a plan of another list', () => change(sized(4 * most), sized(4 * most, 2 * most))],
  ])('%s', (_, run) => {
    expect(cpuMs(run)).toBeLessThan(MOST_MS);
  });

  test('of thousands that copy one name each is compared, and the last that excludes an earlier one is found', () => {
    const objects = Array.from({ length: 5_000 }, (_, at) => sized(2, at === 4_999 ? 0 : 2 * at));
    let found: readonly (number | undefined)[] = [];
    expect(cpuMs(() => (found = earlierConflicts(objects)))).toBeLessThan(MOST_MS);
    expect(found.flatMap((other, index) => (other === undefined ? [] : [[index, other]]))).toEqual([
      [4_999, 0],
    ]);
  });

  test('two that share a list are asked once whether they exclude each other', () => {
    let asked = 0;
    const git = {
      ...distributionGit,
      conflict: (...pair: Parameters<typeof distributionGit.conflict>) => {
        asked += 1;
        return distributionGit.conflict(...pair);
      },
    };
    const both = ['a', 'b'].map((id) => ({
      ...{ id, kind: 'ResourceDistribution', name: id, namespace: undefined, type: { git } },
      ...{ object: sized(1_000) },
    }));
    const found = sharedRules(
      both.map((manifest) => ({
        manifest: manifest as never,
        copies: distributionGit.copies(manifest.object) as never,
      })),
      pods,
      undefined as never,
    );
    expect([found, asked]).toEqual([[], 1]);
  });

  test.each([
    ['open', 2_000, []],
    ['open', 2_003, ['KR2232 x2000 and 2 other objects']],
    // What names its namespaces is always compared.
    ['closed', 2_003, []],
  ])('objects that are %s and too many to be compared are named: %i', (is, count, expected) => {
    const namespaces = new Map(Array.from({ length: 1_000 }, (_, at) => [`n${at}`, {}]));
    const copies = { kind: 'ConfigMap', name: 'settings', namePath: ['spec'], isOpen: is === 'open' };
    const all = Array.from({ length: count }, (_, at) => ({
      manifest: { ...sized(0, at), id: `x${at}`, name: `x${at}`, namespace: undefined, origin: {} },
      copies: { ...copies, namespacesAmong: () => [] },
    }));
    const none = { file: 'a.yaml', line: 1, column: 1 };
    const found = sharedRules(all as never, { workloads: [], namespaces }, () => none as never);
    expect(found.map(({ code, message }) => `${code} ${message.slice(0, message.indexOf(' may'))}`)).toEqual(
      expected.map((each) => each.replace(' ', ' ResourceDistribution ')),
    );
  });
});

describe('security: a text of a server or a peer is cut before a rule reads it', () => {
  const long = 'x'.repeat(300_000);
  const most = 4_097;

  test('the message and the reason of a refusal', () => {
    const body = JSON.stringify({ kind: 'Status', message: long, reason: long });
    const { status } = refusalOf(422, body, undefined);
    expect([status.message.length, status.reason.length]).toEqual([most, most]);
  });

  test('what the scheduler says of a pod', () => {
    const condition = { type: 'PodScheduled', status: 'False' as const, message: long };
    const pod = projectPod(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: { containers: [] },
        status: { conditions: [condition] },
      },
      createIntern(),
    );
    expect(pod.status?.conditions?.[0]?.message?.length).toBe(most);
  });
});

test.each<[string, (units: readonly string[]) => Pick<DisruptionLimit, 'left' | 'unavailable'>]>([
  ['chosen before it', (units) => ({ left: units.length / 2, unavailable: [] })],
  ['unavailable', (units) => ({ left: 0, unavailable: [...units] })],
])('security: why each of many pods waits, with many others %s', (_what, partsOf) => {
  // For each waiting pod a copy of the other names would take ten seconds.
  const units = Array.from({ length: 80_000 }, (_, at) => `web-${at}`);
  const limit: DisruptionLimit = { name: 'Deployment shop/web', most: units.length / 2, ...partsOf(units) };
  const states = { nameOf: (unit: string) => unit, isReserved: () => false, limitsOf: () => [limit] };
  expect(cpuMs(() => withinLimits(units, states))).toBeLessThan(MOST_MS);
});
