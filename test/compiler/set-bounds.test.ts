import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { kruise } from './world/manifests.ts';

interface Set {
  image?: string;
  command?: string;
  strategy?: string;
}

const CANARY = 'selector: {matchLabels: {track: canary}}';

function setWith({ image = 'log:1', command = '', strategy = '' }: Set = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: SidecarSet',
    'metadata: {name: log}',
    'spec:',
    '  selector: {matchLabels: {app: web}}',
    `  updateStrategy: {maxUnavailable: 2${strategy === '' ? '' : `, ${strategy}`}}`,
    `  containers: [{name: log, image: "${image}"${command}}]`,
    '',
  ].join('\n');
}

const deployment = (name: string, replicas: number, labels = ''): string =>
  `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {run: ${name}}}
  template:
    metadata: {labels: {app: web, run: ${name}${labels}}}
    spec: {containers: [{name: nginx, image: nginx}]}
`;

/** Eight pods, and two of the canary. */
const PODS = {
  'head/web.yaml': deployment('web', 8),
  'head/canary.yaml': deployment('web-canary', 2, ', track: canary'),
};

const STEPS = 'steps: [{match: {}, batches: [{to: 10%}, {to: 50%}, {to: 100%}]}]\n';

const PLAN = 'plans/_cluster/sidecarset-log/plan.yaml';

async function planned(base: Set, head: Set, files: Readonly<Record<string, string>> = {}) {
  const { host, code } = await kruise({
    'base/set.yaml': setWith(base),
    'head/set.yaml': setWith(head),
    ...files,
  });
  const read = (name: string): string => String(host.files.get(`/repo/head/${name}`) ?? '');
  const plan = parse(read(PLAN)) as RolloutPlan | null;
  return { code, host, plan, text: read(PLAN), forecast: read(PLAN.replace('plan.yaml', 'forecast.md')) };
}

describe('the selector of an update', () => {
  test('is in the bound, and its pods are those of the forecast', async () => {
    const { plan, forecast } = await planned({}, { image: 'log:2', strategy: CANARY }, PODS);
    expect(plan?.spec.to.bound).toEqual({ partition: 0, selector: { matchLabels: { track: 'canary' } } });
    expect(forecast).toContain('2 of 10 pods are updated in place.');
    expect(forecast).toContain('The selector keeps 8 of 10 pods on the old revision.');
    expect(forecast).toContain('Only pods that match track=canary are updated.');
    expect(forecast).toContain('| `update` | update to 100%, 2 at a time | 2 |');
  });

  test('selects pods of which the manifests know no number', async () => {
    const { forecast } = await planned({}, { image: 'log:2', strategy: CANARY });
    expect(forecast).toContain(
      '# SidecarSet `log`: the selected pods that match track=canary updated in place',
    );
    expect(forecast).toContain(
      'Only pods that match track=canary are updated, and how many these are is not in the manifests.',
    );
  });

  test('selects a share of the pods that kruise.yaml assumes', async () => {
    const files = { ...PODS, 'head/kruise.yaml': 'assume: {pods: 250}\n' };
    const { forecast } = await planned({}, { image: 'log:2', strategy: CANARY }, files);
    expect(forecast).toContain('50 of 250 pods are updated in place.');
  });

  test('that no schema allows is read as none at base', async () => {
    const strategy = 'selector: {matchLabels: [1], matchExpressions: {a: b}}';
    const { forecast } = await planned({ strategy }, { strategy: CANARY }, PODS);
    expect(forecast).toContain('# SidecarSet `log`: selector none to track=canary, the rollout continues');
  });

  test('that says the same in another order is no change', async () => {
    const tracks = (values: string) =>
      `selector: {matchExpressions: [{key: track, operator: In, values: [${values}]}]}`;
    const planOf = async (values: string) =>
      (await planned({ strategy: tracks('a, b') }, { strategy: tracks(values) }, PODS)).text;
    expect(await planOf('a, c')).toContain('values:');
    expect(await planOf('b, a')).toBe('');
  });

  test('of a set that updates no pod is no bound', async () => {
    const strategy = `type: NotUpdate, ${CANARY}`;
    const { plan, forecast } = await planned({}, { image: 'log:2', strategy }, PODS);
    expect(plan?.spec.to.bound).toEqual({ partition: 0 });
    expect(forecast).toContain(
      'The strategy is NotUpdate: running pods stay as they are, and new pods get the change.',
    );
  });

  test('stays that of the plan where the set updates no pod any more', async () => {
    const first = await planned({}, { image: 'log:2', strategy: CANARY }, PODS);
    const files = { ...PODS, [`base/${PLAN}`]: first.text, [`head/${PLAN}`]: first.text };
    const { host, text } = await planned(
      { image: 'log:2', strategy: CANARY },
      { image: 'log:2', strategy: `type: NotUpdate, ${CANARY}` },
      files,
    );
    expect(host.out).toContain('settings only (updateStrategy.type)');
    expect(text).toBe(first.text);
    expect(host.err).not.toContain('KR3013');
  });

  test('that selects no pod leaves all', async () => {
    const strategy = 'selector: {matchLabels: {track: none}}';
    const { forecast } = await planned({}, { image: 'log:2', strategy }, PODS);
    expect(forecast).toContain('No pod changes: the selector retains all 10 pods on the old revision.');
  });

  test('gives a continuation where it alone changes', async () => {
    const first = await planned({}, { image: 'log:2', strategy: CANARY }, PODS);
    const files = { ...PODS, [`base/${PLAN}`]: first.text };
    const all = await planned({ image: 'log:2', strategy: CANARY }, { image: 'log:2' }, files);
    expect(all.plan?.spec).toMatchObject({
      to: { hash: first.plan?.spec.to.hash, bound: { partition: 0 } },
      from: [{ hash: first.plan?.spec.from[0]?.hash, mode: 'InPlace' }],
      supersedes: [first.plan?.spec.digest],
    });
    expect(all.forecast).toContain(
      '# SidecarSet `log`: selector track=canary to none, the rollout continues',
    );
    expect(all.forecast).toContain('in 4 rounds | 10 |');
    const web = 'selector: {matchLabels: {run: web}}';
    const other = await planned(
      { image: 'log:2', strategy: CANARY },
      { image: 'log:2', strategy: web },
      files,
    );
    expect(other.plan?.spec.to.bound.selector).toEqual({ matchLabels: { run: 'web' } });
    // What the selector before has selected keeps the change.
    expect(other.forecast).toContain('10 of 10 pods may be on the new revision.');
  });

  test('that is new takes nothing back', async () => {
    const { forecast } = await planned({}, { strategy: CANARY }, PODS);
    expect(forecast).toContain('selector none to track=canary, the rollout continues');
    expect(forecast).toContain('10 of 10 pods may be on the new revision.');
    expect(forecast).not.toContain('The selector keeps');
    expect(forecast).toContain('It lets no further pod change, so no container restarts.');
    expect(forecast).not.toMatch(/containers restart|At most/);
    const some = await planned({ strategy: 'partition: 50%' }, { strategy: CANARY }, PODS);
    expect(some.forecast).toContain('The selector keeps 8 of 10 pods on the old revision.');
  });

  test('in another spelling is no change', async () => {
    const { plan } = await planned(
      { strategy: `${CANARY}, paused: true` },
      { strategy: 'selector: {matchExpressions: [], matchLabels: {track: canary}}, paused: true' },
      PODS,
    );
    expect(plan).toBe(null);
  });

  test('that changed without a plan is reported (KR3013), and so is a plan for another one', async () => {
    const first = await planned({}, { image: 'log:2', strategy: CANARY }, PODS);
    const check = { args: ['plan', 'head', '--base-dir', 'base', '--check'] };
    const { host } = await kruise(
      {
        ...PODS,
        'base/set.yaml': setWith({ image: 'log:2', strategy: CANARY }),
        [`base/${PLAN}`]: first.text,
        'head/set.yaml': setWith({ image: 'log:2' }),
        [`head/${PLAN}`]: first.text,
      },
      check,
    );
    expect(host.err).toContain('it leads to another selector than that of SidecarSet log');
    const { host: validated } = await kruise(
      { ...PODS, 'head/set.yaml': setWith({ image: 'log:2' }), [`head/${PLAN}`]: first.text },
      { args: ['validate', 'head'] },
    );
    expect(validated.err).toContain('the selector of SidecarSet log was changed without a plan');
    const { host: bare } = await planned({ strategy: CANARY }, {}, PODS);
    expect(bare.err).toContain('KR3007]: only the selector of log changes, and no plan at base lists');
  });
});

describe('the selector of a change that no running pod can get', () => {
  const B = { command: ', command: [b]' };

  test('says which new pods get it, then in which steps the others do', async () => {
    const files = { ...PODS, 'head/kruise.yaml': STEPS };
    const first = await planned({}, { ...B, strategy: CANARY }, files);
    expect(first.forecast).toContain(
      'A new pod that matches track=canary gets the change where a step draws it',
    );
    expect(first.host.err).not.toContain('KR2197');
    const committed = { ...files, [`base/${PLAN}`]: first.text, [`head/${PLAN}`]: first.text };
    const all = await planned({ ...B, strategy: CANARY }, B, committed);
    expect(all.plan?.spec.from[0]?.mode).toBe('NewPodsOnly');
    expect(all.forecast).toContain(
      'New pods that the selector before left out get the change where a step draws them',
    );
    expect(all.forecast).toContain('10% of new pods get it, until one of them is available');
    const beta = 'selector: {matchLabels: {track: beta}}';
    const other = await planned({ ...B, strategy: CANARY }, { ...B, strategy: beta }, committed);
    expect(other.forecast).toContain('With its last step new pods that match track=beta get the change');
    expect(other.forecast).toContain('no further new pod gets it');
    const added = await planned(B, { ...B, strategy: CANARY }, committed);
    expect(added.forecast).toContain('Every new pod gets the change already');
  });
});

describe('the numbers of a set in rules and texts', () => {
  test('batches are compared at the number of pods that the manifests have', async () => {
    const { host } = await planned({}, { image: 'log:2' }, { ...PODS, 'head/kruise.yaml': STEPS });
    expect(host.err).not.toContain('KR4010');
    const few = { 'head/web.yaml': deployment('web', 2), 'head/kruise.yaml': STEPS };
    const { host: small } = await planned({}, { image: 'log:2' }, few);
    expect(small.err).toContain('at 2 replicas of SidecarSet log, batch 2 allows no pod more');
  });

  test('or at the number that kruise.yaml assumes, and not where nobody says one', async () => {
    const one = 'steps: [{match: {}, batches: [{to: 0.1%}, {to: 0.2%}, {to: 100%}]}]\n';
    const files = { 'head/kruise.yaml': `assume: {pods: 50}\n${one}` };
    const { host } = await planned({}, { image: 'log:2' }, files);
    expect(host.err).toContain('at 50 replicas of SidecarSet log, batch 2 allows no pod more');
    const { host: unknown } = await planned({}, { image: 'log:2' }, { 'head/kruise.yaml': one });
    expect(unknown.err).not.toContain('KR4010');
  });

  test('a partition alone restarts containers of the pods that it lets go', async () => {
    const { forecast } = await planned({ strategy: 'partition: 50%' }, { strategy: 'partition: 20%' }, PODS);
    expect(forecast).toContain(
      'The rollout continues with a new partition: 8 of 10 pods may be on the new revision.',
    );
    expect(forecast).toContain('Changed containers restart.');
    expect(forecast).not.toContain('No container restarts');
    expect(forecast).not.toContain('no further pod');
  });

  test.each([
    ['partition: 20%', 'partition: 50%'],
    [CANARY, 'partition: 90%'],
  ])('%s to %s lets no further pod go, and restarts nothing', async (before, after) => {
    const { forecast } = await planned({ strategy: before }, { strategy: after }, PODS);
    expect(forecast).toContain('It lets no further pod change, so no container restarts.');
    expect(forecast).not.toMatch(/containers restart|At most/);
  });

  test('a selector after a partition may select pods that it kept', async () => {
    const { forecast } = await planned({ strategy: 'partition: 50%' }, { strategy: CANARY }, PODS);
    expect(forecast).toContain('Changed containers restart.');
  });
});
