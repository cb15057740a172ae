import { describe, expect, test } from 'vitest';
import { type Group, groupsOf } from '../../compiler/review/groups.ts';
import { groupedPlan } from '../../compiler/review/human.ts';
import { totalsText } from '../../compiler/review/totals.ts';
import { effectOfGroup } from '../../compiler/review/wording.ts';
import { colored } from '../../compiler/text/paint.ts';
import { compiledFleet } from './world/fleet.ts';
import { cloneSet, type CloneSetParts } from './world/manifests.ts';
import { daemonSet } from './world/node-cases.ts';
import { type NumberedParts, numbered } from './world/numbered.ts';

/** The groups of a change of all these documents at once; those of base may be fewer. */
function groupsBetween(base: readonly string[], head: readonly string[]): Group[] {
  return groupsOf(
    compiledFleet({
      'base/all.yaml': base.join('---\n'),
      'head/all.yaml': head.join('---\n'),
    }),
  );
}

const namesIn = ({ members }: Group): string => members.map(({ name }) => name).join(' ');

/** The members of each group, the riskiest group first. */
const members = (base: readonly string[], head: readonly string[]): string[] =>
  groupsBetween(base, head).map(namesIn);

const FORTY = Array.from({ length: 40 }, (_, index) => `app-${index + 1}`);
const ODD = 'app-17';
const others = FORTY.filter((name) => name !== ODD)
  .sort()
  .join(' ');

/** Forty targets in one state, of which one is written in another way. */
const forty = (write: (name: string) => string, odd: (name: string) => string = write): string[] =>
  FORTY.map((name) => (name === ODD ? odd : write)(name));

const set =
  (parts: CloneSetParts) =>
  (name: string): string =>
    cloneSet({ ...parts, name });

const annotated =
  (write: (name: string) => string, policy: string) =>
  (name: string): string =>
    write(name).replace('metadata:\n', `metadata:\n  annotations: {plan.kruise.io/policy: ${policy}}\n`);

const statefulSet =
  (parts: NumberedParts) =>
  (name: string): string =>
    numbered({ ...parts, labels: `app: ${name}`, selector: `app: ${name}`, serviceName: name }).replace(
      '{name: web, ',
      `{name: ${name}, `,
    );

const [v1, v2] = [set({ image: 'nginx:1' }), set({ image: 'nginx:2' })];

describe('one of forty updates that also changes a setting is apart', () => {
  test('on top where its policy requires plans no longer', () => {
    const base = forty(annotated(v1, 'Required'));
    for (const odd of [annotated(v2, 'Auto'), v2]) {
      const [first, rest, ...more] = groupsBetween(base, forty(annotated(v2, 'Required'), odd));
      expect([first, rest].map((group) => group && namesIn(group))).toEqual([ODD, others]);
      expect(more).toEqual([]);
      expect(first?.risks[0]).toBe('NeedsNoPlan');
      expect(rest?.risks).not.toContain('NeedsNoPlan');
      expect(first && effectOfGroup(first)).toMatch(
        /further changes need no plan; .*plan\.kruise\.io\/policy from Required to (Auto|none)/,
      );
    }
    const [first] = groupsBetween(forty(v1), forty(v2, annotated(v2, 'Auto')));
    expect(first?.risks).not.toContain('NeedsNoPlan');
  });

  test('on top where its claims are no longer retained', () => {
    const claims = (fate: string): string =>
      '  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n' +
      `  persistentVolumeClaimRetentionPolicy: {whenScaled: Retain, whenDeleted: ${fate}}`;
    const at = (image: string, fate: string) => statefulSet({ image, spec: claims(fate) });
    const groups = groupsBetween(
      forty(at('nginx:1', 'Retain')),
      forty(at('nginx:2', 'Retain'), at('nginx:2', 'Delete')),
    );
    expect(groups.map(namesIn)).toEqual([ODD, others]);
    expect(groups.map(({ risks }) => risks.includes('MayLoseData'))).toEqual([true, false]);
    expect(groups[0]?.risks[0]).toBe('MayLoseData');
    expect(groups[0] && effectOfGroup(groups[0])).toContain('whenDeleted from Retain to Delete');
    const kept = groupsBetween(
      forty(at('nginx:1', 'Delete')),
      forty(at('nginx:2', 'Delete'), at('nginx:2', 'Retain')),
    );
    expect(kept.map(({ risks }) => risks.includes('MayLoseData'))).toEqual([false, false]);
  });

  test('with both values of a scalar, and by name of anything else', () => {
    const hook = '  lifecycle: {preDelete: {finalizersHandler: [example.com/drain]}}';
    const [first, second] = ['  minReadySeconds: 5', hook].map((spec) =>
      groupsBetween(forty(v1), forty(v2, set({ image: 'nginx:2', spec }))).find(
        (group) => namesIn(group) === ODD,
      ),
    );
    expect(first?.notes).toContain('also changed: minReadySeconds from 0 to 5');
    expect(second?.notes).toContain('also changed: lifecycle');
  });
});

describe('settings that change alone are one group only if their values are equal', () => {
  test.each<[string, string, string, string]>([
    ['a scalar', '  minReadySeconds: 1', '  minReadySeconds: 5', '  minReadySeconds: 6'],
    [
      'an object',
      '',
      '  lifecycle: {preDelete: {finalizersHandler: [example.com/a]}}',
      '  lifecycle: {preDelete: {finalizersHandler: [example.com/b]}}',
    ],
  ])('%s', (_what, before, after, other) => {
    const at = (spec: string) => set(spec === '' ? {} : { spec });
    expect(members(forty(at(before)), forty(at(after), at(other)))).toEqual([others, ODD]);
    expect(members(forty(at(before)), forty(at(after)))).toEqual([[...FORTY].sort().join(' ')]);
  });

  test('that of scaling, too', () => {
    const head = (seconds: number) => set({ replicas: 12, spec: `  minReadySeconds: ${seconds}` });
    expect(members(forty(set({})), forty(head(5), head(6)))).toEqual([others, ODD]);
  });
});

describe('objects that are reconciled at once are one group only if their values are equal', () => {
  const budget =
    (limit: string, more = '') =>
    (name: string): string =>
      `apiVersion: policy.kruise.io/v1beta1\nkind: PodUnavailableBudget\nmetadata: {name: ${name}, namespace: shop}\n` +
      `spec: {selector: {matchLabels: {app: ${name}}}, ${limit}${more}}\n`;

  test.each<[string, (name: string) => string, (name: string) => string]>([
    ['a limit', budget('maxUnavailable: 1'), budget('minAvailable: 2')],
    ['one that protects more', budget('maxUnavailable: 2'), budget('maxUnavailable: 1')],
    [
      'an object',
      budget('maxUnavailable: 3'),
      budget('maxUnavailable: 3', ', ignoredPodSelector: {matchLabels: {a: b}}'),
    ],
  ])('%s', (_what, after, other) => {
    expect(members(forty(budget('maxUnavailable: 4')), forty(after, other)).sort()).toEqual(
      [others, ODD].sort(),
    );
    expect(members([cloneSet()], [cloneSet(), ...forty(after, other)]).sort()).toEqual([others, ODD].sort());
    expect(members([cloneSet()], [cloneSet(), ...forty(after)])).toEqual([[...FORTY].sort().join(' ')]);
  });
});

describe('updates are one group only if all values of the fields are equal, also those that are not shown', () => {
  const withContainer = (lines: string) => set({ image: 'nginx:1', container: lines });
  const withPod = (lines: string) => set({ image: 'nginx:1', pod: lines });

  test.each<[string, (name: string) => string, (name: string) => string, (name: string) => string]>([
    [
      'a variable',
      withContainer('        env: [{name: URL, value: "https://example.com"}]'),
      withContainer('        env: [{name: URL, value: "https://example.org"}]'),
      withContainer('        env: [{name: URL, value: "https://example.net"}]'),
    ],
    [
      'a command',
      withContainer('        command: [serve]'),
      withContainer('        command: [serve, --quiet]'),
      withContainer('        command: [serve, --insecure]'),
    ],
    [
      'a switch',
      v1,
      withPod('      automountServiceAccountToken: false'),
      withPod('      automountServiceAccountToken: true'),
    ],
    [
      'a security context',
      withContainer('        securityContext: {runAsNonRoot: true}'),
      withContainer('        securityContext: {capabilities: {add: [NET_BIND_SERVICE]}}'),
      withContainer('        securityContext: {capabilities: {add: [SYS_ADMIN]}}'),
    ],
    [
      'a container that is added',
      v1,
      withPod('      - {name: log, image: "log:1"}'),
      withPod('      - {name: log, image: "log:evil"}'),
    ],
    [
      'a variable that is renamed',
      withContainer('        env: [{name: A, value: x}]'),
      withContainer('        env: [{name: B, value: x}]'),
      withContainer('        env: [{name: LD_PRELOAD, value: x}]'),
    ],
    [
      'another order',
      withContainer('        env: [{name: A}, {name: B}, {name: C}]'),
      withContainer('        env: [{name: B}, {name: A}, {name: C}]'),
      withContainer('        env: [{name: C}, {name: B}, {name: A}]'),
    ],
  ])('%s', (_what, before, after, other) => {
    expect(members(forty(before), forty(after, other)).sort()).toEqual([others, ODD].sort());
    expect(members(forty(before), forty(after))).toEqual([[...FORTY].sort().join(' ')]);
  });

  test('and their own name in a label is no difference', () => {
    const labeled = (name: string): string =>
      v1(name).replace('labels: {app: ', `labels: {team: ${name}, app: `);
    expect(members(forty(v1), forty(labeled))).toEqual([[...FORTY].sort().join(' ')]);
  });
});

describe('new targets are one group only if they are equal but for their names', () => {
  const job =
    (image: string) =>
    (name: string): string =>
      `apiVersion: apps.kruise.io/v1beta1\nkind: BroadcastJob\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  template:\n    metadata: {labels: {app: ${name}}}\n    spec:\n      restartPolicy: Never\n      containers: [{name: fix, image: "${image}"}]\n`;

  test.each<[string, (name: string) => string, (name: string) => string]>([
    ['an image', v1, set({ image: 'nginx:evil' })],
    ['a variable', v1, set({ image: 'nginx:1', container: '        env: [{name: A, value: x}]' })],
    ['a setting', v1, set({ image: 'nginx:1', spec: '  minReadySeconds: 5' })],
    ['a policy', annotated(v1, 'Required'), v1],
    ['a bound', v1, set({ image: 'nginx:1', spec: '    partition: 5' })],
    ['an image that runs once on each node', job('fix:1'), job('fix:2')],
  ])('%s', (_what, write, other) => {
    const unrelated = cloneSet({ name: 'unrelated' });
    expect(members([unrelated], [unrelated, ...forty(write, other)])).toEqual([others, ODD]);
  });

  test.each<[string, (name: string) => string]>([
    ['labels and a container', (name) => v1(name).replace('name: nginx', `name: ${name}`)],
    ['a service', statefulSet({})],
    ['a run', job('fix:1')],
  ])('%s with the name of their target are equal', (_what, write) => {
    const unrelated = cloneSet({ name: 'unrelated' });
    expect(members([unrelated], [unrelated, ...forty(write)])).toEqual([[...FORTY].sort().join(' ')]);
  });
});

describe('an update that also names pods to delete', () => {
  const named = (...pods: string[]) =>
    set({ image: 'nginx:2', spec: `  scaleStrategy: {podsToDelete: [${pods.join(', ')}]}` });

  test('is a group of its own with their names, the first one', () => {
    const [first, rest, ...more] = groupsBetween(forty(v1), forty(v2, named('web-b', 'web-d')));
    expect([first, rest].map((group) => group && namesIn(group))).toEqual([ODD, others]);
    expect(more).toEqual([]);
    expect(first?.risks[0]).toBe('Deletes');
    expect(first && effectOfGroup(first)).toContain('; 2 pods to delete by name: web-b, web-d');
  });

  test('is in no group with other names, or another number of them', () => {
    const last = 'app-39';
    const head = (other: (name: string) => string) =>
      forty((name) => (name === last ? other : v2)(name), named('a', 'b'));
    for (const other of [named('a', 'c'), named('a', 'b', 'c')]) {
      const groups = members(forty(v1), head(other));
      expect([...groups.slice(0, 2)].sort()).toEqual([ODD, last]);
    }
    expect(members(forty(v1), head(named('a', 'b')))[0]).toBe(`${ODD} ${last}`);
    const many = Array.from({ length: 12 }, (_, at) => `web-${'abcdefghijkl'[at]}x`);
    const [first] = groupsBetween(forty(v1), forty(v2, named(...many)));
    expect(first && effectOfGroup(first)).toContain(
      '12 pods to delete by name: web-ax, web-bx, web-cx, web-dx, web-ex, and 7 more',
    );
  });

  test('is painted as a deletion, and counted in the totals', () => {
    const settings = groupsBetween(forty(v2), forty(v2, named('web-b')));
    expect(groupedPlan(settings, colored)).toContain(colored('red', effectOfGroup(settings[0] as Group)));
    const groups = groupsBetween(forty(v1), forty(v2, named('web-b')));
    expect(totalsText(groups)).toMatch(/^40 in place; 1 deleting pods by name, 40 without a gate; /);
    const removed = groupsBetween(
      forty(v1),
      forty(v1, () => '').filter((text) => text !== ''),
    );
    expect(totalsText(removed)).toMatch(/^1 removed; 0 approvals/);
    expect(groupedPlan(removed, colored)).not.toContain(colored('red', effectOfGroup(removed[0] as Group)));
  });
});

describe('the bound of an update', () => {
  const bounded = (image: string, partition: number | string) =>
    set({ image, spec: `    partition: ${partition}` });

  test.each<[number | string, number | string]>([
    [5, 6],
    // Of ten pods, both retain five.
    [5, '50%'],
    // Of ten pods, both retain all.
    ['100%', 10],
  ])('that is %s is apart from one that is %s, and as written', (one, other) => {
    const base = forty(bounded('nginx:1', one), bounded('nginx:1', other));
    const groups = groupsBetween(base, forty(bounded('nginx:2', one), bounded('nginx:2', other)));
    expect(groups.map(namesIn)).toEqual([others, ODD]);
    const whom = one === 5 ? 'others' : 'all of them';
    for (const [at, partition] of [one, other].entries())
      expect(groups[at]?.notes).toContain(`partition ${partition} retains ${whom} on the old revision`);
  });

  test('is one group only if all of a long selector is equal', () => {
    const at = (image: string, zone: string) => (name: string) =>
      daemonSet({
        rolling: `selector: {matchLabels: {pool: ${'a'.repeat(63)}, zone: ${'b'.repeat(20)}${zone}}}`,
      })
        .replace('name: log', `name: ${name}`)
        .replaceAll('app: log', `app: ${name}`)
        .replace('log:1', image);
    const base = forty(at('log:1', 'x'), at('log:1', 'y'));
    const groups = groupsBetween(base, forty(at('log:2', 'x'), at('log:2', 'y')));
    expect(groups.map(namesIn)).toEqual([others, ODD]);
    expect(groups[0]?.notes.join()).toContain(`selector pool=${'a'.repeat(63)},`);
  });
});
