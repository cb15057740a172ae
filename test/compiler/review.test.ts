import { beforeAll, describe, expect, test } from 'vitest';
import type { Compiled } from '../../compiler/compile.ts';
import { type Group, groupsOf } from '../../compiler/review/groups.ts';
import { compareGroups, EFFECTS, RISKS } from '../../compiler/review/order.ts';
import * as fc from '../property.ts';
import { compiledFleet, fleet } from './world/fleet.ts';
import { sidecarSet } from './world/injector-cases.ts';
import { cloneSet } from './world/manifests.ts';
import { daemonSet } from './world/node-cases.ts';
import { numbered } from './world/numbered.ts';

/** What a fleet draws by. */
const SEED = 42;

const namesIn = ({ members }: Group): string[] =>
  members.map(({ namespace, name }) => `${namespace}/${name}`);

let many: Compiled;
beforeAll(() => {
  many = compiledFleet(fleet(120, SEED).files);
});

describe('groups', () => {
  test('have every changed target once, whatever order the changes are in', () => {
    const expected = groupsOf(many);
    const changed = many.changes.filter(({ action }) => action !== 'Unchanged');
    expect(expected.flatMap(({ members }) => members.map(({ id }) => id)).sort()).toEqual(
      changed.map(({ id }) => id).sort(),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray([...many.changes], { minLength: many.changes.length }), (changes) => {
        expect(groupsOf({ ...many, changes })).toEqual(expected);
      }),
      { numRuns: 3 },
    );
  });

  test('of a part of the changes are parts of the groups', () => {
    const whole = new Map(
      groupsOf(many).flatMap((group) => group.members.map(({ id }) => [id, group] as const)),
    );
    fc.assert(
      fc.property(fc.subarray([...many.changes]), (changes) => {
        for (const group of groupsOf({ ...many, changes })) {
          const [first] = group.members.map(({ id }) => whole.get(id));
          expect(group.members.every(({ id }) => whole.get(id) === first)).toBe(true);
          expect(group).toMatchObject({ what: first?.what, risks: first?.risks, fields: first?.fields });
        }
      }),
      { numRuns: 5 },
    );
  });

  test('with other limits, steps, fields or sizes that matter are apart', () => {
    const web = (name: string, parts: Parameters<typeof cloneSet>[0] = {}) => cloneSet({ name, ...parts });
    const files = (image: string, more: string) => [
      web('a', { image }),
      web('b', { image, replicas: 20 }),
      web('c', { image, spec: '    maxUnavailable: 3' }),
      web('d', { image, replicas: 1 }),
      web('e', { image, spec: '    partition: 5' }),
      web('f', { image, container: `        env: [{name: A, value: "${more}"}]` }),
    ];
    const groups = groupsOf(
      compiledFleet({
        'base/web.yaml': files('nginx:1', '1').join('---\n'),
        'head/web.yaml': files('nginx:2', '2').join('---\n'),
      }),
    );
    // One replica: none is available while it changes.
    expect(groups.map(namesIn)).toEqual([
      ['shop/f'],
      ['shop/d'],
      ['shop/a', 'shop/b'],
      ['shop/c'],
      ['shop/e'],
    ]);
    expect(groups.map(({ units }) => units?.count)).toEqual([10, 1, 30, 10, 5]);
  });

  test('have an order that is total, and the same as that of their risks', () => {
    const group = fc.record({
      risks: fc.subarray([...RISKS]),
      effect: fc.constantFrom(...EFFECTS),
      kind: fc.constantFrom('CloneSet', 'StatefulSet'),
      members: fc.uniqueArray(fc.record({ id: fc.string() }), {
        minLength: 1,
        maxLength: 3,
        selector: ({ id }) => id,
      }),
    });
    fc.assert(
      fc.property(group, group, group, (a, b, c) => {
        expect(Math.sign(compareGroups(a, b))).toBe(-Math.sign(compareGroups(b, a)) + 0);
        if (compareGroups(a, b) <= 0 && compareGroups(b, c) <= 0)
          expect(compareGroups(a, c)).toBeLessThanOrEqual(0);
        if (a.members[0]?.id !== b.members[0]?.id) expect(compareGroups(a, b)).not.toBe(0);
        const only = (risk: (typeof RISKS)[number]) => a.risks.includes(risk) && !b.risks.includes(risk);
        const [first] = RISKS.filter((risk) => a.risks.includes(risk) !== b.risks.includes(risk));
        if (first !== undefined) expect(compareGroups(a, b) < 0).toBe(only(first));
      }),
    );
    expect(RISKS.indexOf('Deletes')).toBeLessThan(RISKS.indexOf('Recreates'));
    expect(RISKS.indexOf('Recreates')).toBeLessThan(RISKS.indexOf('NoAvailability'));
    expect(RISKS.indexOf('NoAvailability')).toBeLessThan(RISKS.indexOf('NoGate'));
  });
});

describe('the risks of a change', () => {
  const other = cloneSet({ name: 'other' });
  const probe = '        readinessProbe: {tcpSocket: {port: 80}}';
  const variable = (value: string): string => `${probe}\n        env: [{name: A, value: "${value}"}]`;
  const claims =
    '  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}';
  const fate = (whenScaled: string): string =>
    `\n  persistentVolumeClaimRetentionPolicy: {whenScaled: ${whenScaled}}`;
  const gates = 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}], approve: [1]}]\n';
  const job = (image: string, pod = ''): string =>
    `apiVersion: apps.kruise.io/v1beta1\nkind: BroadcastJob\nmetadata: {name: fix, namespace: shop}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n${pod}      containers: [{name: fix, image: "${image}"}]\n`;
  const budget =
    'apiVersion: policy.kruise.io/v1beta1\nkind: PodUnavailableBudget\nmetadata: {name: web, namespace: shop}\nspec: {selector: {matchLabels: {app: web}}, maxUnavailable: 5}\n';
  const mounting = (readOnly: boolean): string =>
    daemonSet({ pod: '      volumes: [{name: log, hostPath: {path: /var/log}}]' }).replace(
      'name: log, image',
      `name: log, volumeMounts: [{name: log, mountPath: /var/log, readOnly: ${readOnly}}], image`,
    );
  const v = (tag: string, parts: Parameters<typeof cloneSet>[0] = {}) =>
    cloneSet({ image: `nginx:${tag}`, container: probe, ...parts });

  test.each<[string, string, string, string[]]>([
    ['an image in place', v('1'), v('2'), ['NoGate']],
    ['a tag that can move', v('1'), v('latest'), ['NoGate', 'NotReproducible']],
    [
      'a variable',
      v('1', { container: variable('1') }),
      v('1', { container: variable('2') }),
      ['Recreates', 'NoGate'],
    ],
    [
      'a variable of pods with claims',
      v('1', { container: variable('1'), spec: claims }),
      v('1', { container: variable('2'), spec: claims }),
      ['LosesData', 'Recreates', 'NoGate'],
    ],
    [
      'all at once',
      v('1', { spec: '    maxUnavailable: 100%' }),
      v('2', { spec: '    maxUnavailable: 100%' }),
      ['NoAvailability', 'NoGate'],
    ],
    [
      'a partition that retains all',
      v('1', { spec: '    partition: 100%' }),
      v('2', { spec: '    partition: 100%' }),
      [],
    ],
    ['no replicas any more', v('1'), v('1', { replicas: 0 }), ['NoAvailability']],
    ['more replicas', v('1'), v('1', { replicas: 11 }), []],
    [
      'fewer replicas, and claims that are retained no longer',
      numbered({ spec: claims + fate('Retain') }),
      numbered({ spec: claims + fate('Delete'), replicas: 9 }),
      ['LosesData', 'MayLoseData'],
    ],
    [
      'fewer replicas, and claims that are retained from now on',
      numbered({ spec: claims + fate('Delete') }),
      numbered({ spec: claims + fate('Retain'), replicas: 9 }),
      [],
    ],
    ['a new target', '', v('1'), []],
    ['a target that is gone', v('1'), '', ['Deletes']],
    ['a run', '', job('fix:1'), ['NotReversible', 'NoGate']],
    [
      'a run that reaches its node',
      '',
      job('fix:1', '      hostPID: true\n'),
      ['HostAccess', 'NotReversible', 'NoGate'],
    ],
    ['a new target that reaches its node', '', v('1', { pod: '      hostPID: true' }), ['HostAccess']],
    [
      'access to the node that is new',
      v('1'),
      v('1', { pod: '      hostNetwork: true' }),
      ['Recreates', 'HostAccess', 'NoGate'],
    ],
    [
      'access to the node that is not',
      v('1', { pod: '      hostNetwork: true' }),
      v('2', { pod: '      hostNetwork: true' }),
      ['NoGate'],
    ],
    [
      'pods on nodes that become privileged',
      daemonSet(),
      daemonSet().replace('name: log, image', 'name: log, securityContext: {privileged: true}, image'),
      ['Recreates', 'HostAccess', 'NoGate'],
    ],
    [
      'a path of the node that pods on nodes write',
      mounting(true),
      mounting(false),
      ['Recreates', 'HostAccess', 'NoGate'],
    ],
    [
      'an injected container that becomes privileged',
      sidecarSet(),
      sidecarSet({ container: 'name: mesh, image: "mesh:1", securityContext: {privileged: true}' }),
      ['HostAccess', 'NoGate'],
    ],
    ['a budget that is gone', budget, '', ['Deletes']],
    ['a new budget', '', budget, []],
  ])('%s', (_what, base, head, expected) => {
    const of = (text: string): string => (text === '' ? other : `${other}---\n${text}`);
    const compiled = compiledFleet({ 'base/web.yaml': of(base), 'head/web.yaml': of(head) });
    const [group, ...more] = groupsOf(compiled);
    expect(more).toEqual([]);
    expect(group?.risks.filter((risk) => risk !== 'Warned')).toEqual(expected);
  });

  test('an approval, a soak or a check is a gate', () => {
    for (const gate of ['approve: [1]', 'between: {soak: 1m}', 'between: {check: [error-rate]}']) {
      const config = gates.replace('approve: [1]', gate);
      const files = { 'base/web.yaml': v('1'), 'head/web.yaml': v('2'), 'head/kruise.yaml': config };
      expect(groupsOf(compiledFleet(files)).map(({ risks }) => risks)).toEqual([[]]);
    }
  });

  test('a warning of its own counts last', () => {
    const files = {
      'base/web.yaml': cloneSet({ image: 'nginx:1' }),
      'head/web.yaml': cloneSet({ image: 'nginx:2' }),
    };
    const [group] = groupsOf(compiledFleet(files));
    expect(group?.risks).toEqual(['NoGate', 'Warned']);
    expect(group?.warnings.map(({ code }) => code)).toEqual(['KR2135']);
  });
});
