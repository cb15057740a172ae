import { parse, stringify } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { cloneSet, kruise } from './manifests.ts';
import type { RunOptions } from './manifests.ts';

/** A mistake and all of its diagnostics, in order, as `CODE file:line:column`. */
export interface Case {
  what: string;
  head?: string | Uint8Array;
  base?: string;
  files?: Record<string, string | Uint8Array>;
  options?: RunOptions;
  expected: string[];
}

const clean = cloneSet();
const changed = cloneSet({ image: 'nginx:1.27' });
const validate: RunOptions = { args: ['validate', 'head'] };
const config = (text: string): Record<string, string> => ({ 'head/kruise.yaml': text });

/** The plan that a first run writes for a changed manifest, as it is at base afterwards. */
export async function committedPlan(head: string): Promise<string> {
  const { host } = await kruise({ 'base/web.yaml': clean, 'head/web.yaml': head });
  return String(host.files.get('/repo/head/plans/shop/cloneset-web/plan.yaml'));
}
const plan = await committedPlan(changed);
export const plannedUnder = (text: string): Record<string, string> => ({
  'base/plans/shop/cloneset-web/plan.yaml': text,
  'head/plans/shop/cloneset-web/plan.yaml': text,
});
const planned = plannedUnder(plan);

/** The plan of another change, as if it superseded another one: by default one that no base here has. */
async function supersedingPlan(image: string, digest = `h1:${'0'.repeat(32)}`): Promise<string> {
  const whole = parse(await committedPlan(cloneSet({ image }))) as RolloutPlan;
  const spec = { ...whole.spec, supersedes: [digest] };
  return stringify({ ...whole, spec: { ...spec, digest: planDigest(spec) } });
}

/** `changed` in the form of v1beta1. */
function beta(policy: string): string {
  return changed
    .replace('v1alpha1', 'v1beta1')
    .replace('    type: InPlaceIfPossible', `    rollingUpdate: {podUpdatePolicy: ${policy}}`);
}

/** Containers with images so long that their changes exceed the size of a plan. */
function sidecars(letter: string): string {
  return Array.from(
    { length: 64 },
    (_, i) => `      - {name: c${i}, image: "x@sha256:${letter.repeat(1000)}"}`,
  ).join('\n');
}

export const manifestCases: readonly Case[] = [
  {
    what: 'unknown field',
    head: clean.replace('  replicas:', '  replica:'),
    options: validate,
    expected: ['KR2001 head/web.yaml:7:3'],
  },
  {
    what: 'wrong type',
    head: cloneSet({ replicas: '"10"' }),
    options: validate,
    expected: ['KR2002 head/web.yaml:7:13'],
  },
  {
    what: 'value that is not allowed',
    head: cloneSet({ type: 'InPlaceIfPosible' }),
    options: validate,
    expected: ['KR2003 head/web.yaml:11:11'],
  },
  {
    what: 'missing field',
    head: clean.replace(/ {2}selector:\n.*\n/, ''),
    options: validate,
    expected: ['KR2004 head/web.yaml:6:1'],
  },
  {
    what: 'out of bounds, and a plain number as text',
    head: cloneSet({ replicas: -1, spec: '    maxUnavailable: "5"' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:7:13', 'KR2005 head/web.yaml:12:21'],
  },
  {
    what: 'empty selector',
    head: clean.replace('matchLabels: {app: web}', 'matchLabels: {}'),
    options: validate,
    expected: ['KR2005 head/web.yaml:8:3'],
  },
  {
    what: 'unknown field of a pod',
    head: cloneSet({ container: '        imagePulPolicy: Always' }),
    options: validate,
    expected: ['KR2006 head/web.yaml:19:9'],
  },
  {
    what: 'selector that misses',
    head: cloneSet({ selector: 'other' }),
    options: validate,
    expected: ['KR2101 head/web.yaml:9:24'],
  },
  {
    what: 'selector that changes',
    base: clean,
    head: clean.replaceAll('{app: web}', '{app: web, tier: front}'),
    expected: ['KR2102 head/web.yaml:8:3'],
  },
  {
    what: 'no pod may move',
    head: cloneSet({ spec: '    maxUnavailable: 0' }),
    options: validate,
    expected: ['KR2103 head/web.yaml:12:21'],
  },
  {
    what: 'in place only, but not possible',
    base: cloneSet({ type: 'InPlaceOnly' }),
    head: cloneSet({ type: 'InPlaceOnly', pod: '      hostNetwork: true' }),
    expected: ['KR2104 head/web.yaml:19:7'],
  },
  {
    what: 'in place only, at the changed field',
    base: cloneSet({
      type: 'InPlaceOnly',
      container: '        env: [{name: A, value: "1"}, {name: B, value: "1"}]',
    }),
    head: cloneSet({
      type: 'InPlaceOnly',
      container: '        env: [{name: A, value: "1"}, {name: B, value: "2"}]',
    }),
    expected: ['KR2104 head/web.yaml:19:48'],
  },
  {
    what: 'replicas that are left out fall to the default',
    base: clean,
    head: clean.replace('  replicas: 10\n', ''),
    expected: ['KR2220 head/web.yaml:6:1'],
  },
  {
    what: 'restart policy',
    head: cloneSet({ pod: '      restartPolicy: Never' }),
    options: validate,
    expected: ['KR2105 head/web.yaml:19:22'],
  },
  {
    what: 'deadline of a pod',
    head: cloneSet({ pod: '      activeDeadlineSeconds: 5' }),
    options: validate,
    expected: ['KR2106 head/web.yaml:19:7'],
  },
  {
    what: 'encrypted value',
    head: cloneSet({ container: '        env: [{name: A, value: "ENC[AES256]"}]' }),
    options: validate,
    expected: ['KR2107 head/web.yaml:19:32'],
  },
  {
    what: 'placeholder',
    head: cloneSet({ container: '        env: [{name: A, value: "${REGION}"}]' }),
    options: validate,
    expected: ['KR2108 head/web.yaml:19:32'],
  },
  {
    what: 'mutable tag',
    head: cloneSet({ image: 'registry:5000/nginx' }),
    options: validate,
    expected: ['KR2109 head/web.yaml:18:16'],
  },
  {
    what: 'replicas to 0',
    base: clean,
    head: cloneSet({ replicas: 0 }),
    expected: ['KR2110 head/web.yaml:7:13'],
  },
  { what: 'replicas to half', base: clean, head: cloneSet({ replicas: 5 }), expected: [] },
  {
    what: 'pod named twice',
    head: cloneSet({ spec: '  scaleStrategy: {podsToDelete: [a, b, a]}' }),
    options: validate,
    expected: ['KR2111 head/web.yaml:12:40'],
  },
  {
    what: 'field of the other version',
    head: cloneSet({ spec: '  scaleStrategy: {enablePVCReuse: true}' }),
    options: validate,
    expected: ['KR2112 head/web.yaml:12:19'],
  },
  {
    what: 'partition that holds everything',
    base: clean,
    head: cloneSet({ image: 'nginx:1.27', spec: '    partition: 100%' }),
    expected: ['KR2113 head/web.yaml:12:16'],
  },
  {
    what: 'pods that are planned again',
    base: cloneSet({ type: 'OnDelete' }),
    head: cloneSet({ type: 'InPlaceIfPossible' }),
    expected: ['KR2130 head/web.yaml:11:11'],
  },
  {
    what: 'a pod to delete that was named before',
    base: cloneSet({ spec: '  scaleStrategy: {podsToDelete: [web-a]}' }),
    head: cloneSet({ image: 'nginx:1.27', spec: '  scaleStrategy: {podsToDelete: [web-b, web-a]}' }),
    expected: ['KR2131 head/web.yaml:12:41'],
  },
  {
    what: 'surge with in-place only',
    head: cloneSet({ type: 'InPlaceOnly', spec: '    maxSurge: 1' }),
    options: validate,
    expected: ['KR2115 head/web.yaml:12:5'],
  },
  {
    what: 'deadline before readiness',
    head: cloneSet({ spec: '  minReadySeconds: 60\n  progressDeadlineSeconds: 60' }),
    options: validate,
    expected: ['KR2116 head/web.yaml:13:28'],
  },
  {
    what: 'base above the folder that belongs to head',
    head: changed,
    files: {
      'base/apps/web/web.yaml': clean,
      'base/apps/api/api.yaml': cloneSet({ name: 'api' }),
      'base/web.yaml': 'kind: ConfigMap\napiVersion: v1\n',
    },
    expected: ['KR3024', 'KR2120 base/apps/api/api.yaml:4:9'],
  },
  {
    what: 'strategy of the other version',
    head: cloneSet({ type: 'RollingUpdate' }),
    options: validate,
    expected: ['KR2118 head/web.yaml:11:11'],
  },
  {
    what: 'too many steps',
    base: clean,
    head: changed,
    files: config(
      `steps: [{match: {}, between: {soak: 1m}, batches: [${Array.from({ length: 30 }, (_, i) => `{to: ${i + 1}%}`).join(',')},{to: 100%}]}]`,
    ),
    expected: ['KR4010 head/kruise.yaml:1:66', 'KR3004 head/web.yaml:4:9'],
  },
  {
    what: 'plan too large',
    base: cloneSet({ pod: sidecars('a') }),
    head: cloneSet({ pod: sidecars('b') }),
    expected: ['KR3005 head/web.yaml:4:9'],
  },
  {
    what: 'window wider than the target',
    base: clean,
    head: changed,
    files: config('steps: [{match: {}, batches: [{to: 100%, window: {maxUnavailable: 50%}}]}]'),
    expected: ['KR3006 head/web.yaml:4:9'],
  },
  {
    what: 'lower partition without a plan at base',
    base: cloneSet({ spec: '    partition: 5' }),
    head: cloneSet({ spec: '    partition: 2' }),
    expected: ['KR3007 head/web.yaml:4:9'],
  },
  {
    what: 'plan of a change that was merged without one',
    base: changed,
    head: changed,
    files: { 'head/plans/shop/cloneset-web/plan.yaml': plan },
    expected: ['KR3008'],
  },
  {
    what: 'plan of a newer base',
    base: clean,
    head: changed,
    files: { 'head/plans/shop/cloneset-web/plan.yaml': await supersedingPlan('nginx:1.28') },
    expected: ['KR3014 head/plans/shop/cloneset-web/plan.yaml:1:1'],
  },
  {
    what: 'plan of an older base for a change that was merged without one',
    base: cloneSet({ image: 'nginx:1.28' }),
    head: cloneSet({ image: 'nginx:1.28' }),
    files: {
      ...planned,
      'head/plans/shop/cloneset-web/plan.yaml': await supersedingPlan(
        'nginx:1.28',
        (parse(plan) as RolloutPlan).spec.digest,
      ),
    },
    expected: ['KR3027'],
  },
  {
    what: 'base without manifests',
    base: '',
    head: clean,
    files: { 'head/api.yaml': cloneSet({ name: 'api' }) },
    expected: ['KR3016'],
  },
  {
    what: 'nothing to try again',
    base: clean,
    head: clean,
    options: { args: ['plan', 'head', '--base-dir', 'base', '--again'] },
    expected: ['KR3011'],
  },
  {
    what: 'update policy that does more than the plan at base promises',
    base: changed,
    head: changed.replace('type: InPlaceIfPossible', 'type: ReCreate'),
    files: planned,
    expected: ['KR3012 head/web.yaml:11:11'],
  },
  {
    what: 'update policy left out, so that more is done than the plan at base promises',
    base: changed,
    head: changed.replace('type: InPlaceIfPossible', 'maxUnavailable: 20%'),
    files: planned,
    expected: ['KR3012 head/web.yaml:10:3'],
  },
  {
    what: 'update policy of v1beta1 that does more',
    base: beta('InPlaceIfPossible'),
    head: beta('ReCreate'),
    files: planned,
    expected: ['KR3012 head/web.yaml:11:38'],
  },
  {
    what: 'change without a plan',
    base: cloneSet({ image: 'nginx:1.28' }),
    head: cloneSet({ image: 'nginx:1.28' }),
    files: planned,
    expected: ['KR3013 head/web.yaml:12:3'],
  },
  {
    what: 'partition loosened without a plan',
    base: cloneSet({ image: 'nginx:1.27', spec: '    partition: 3' }),
    head: cloneSet({ image: 'nginx:1.27', spec: '    partition: 3' }),
    files: plannedUnder(await committedPlan(cloneSet({ image: 'nginx:1.27', spec: '    partition: 5' }))),
    expected: ['KR3013 head/web.yaml:12:16'],
  },
  {
    what: 'name too long',
    base: cloneSet({ name: 'w'.repeat(250), selector: 'web' }).replaceAll(
      `{app: ${'w'.repeat(250)}}`,
      '{app: web}',
    ),
    head: cloneSet({ name: 'w'.repeat(250), selector: 'web', image: 'nginx:2' }).replaceAll(
      `{app: ${'w'.repeat(250)}}`,
      '{app: web}',
    ),
    expected: ['KR3009 head/web.yaml:4:9'],
  },
  {
    what: 'what cannot be waited for',
    base: clean,
    head: changed,
    files: config('steps:\n- match: {}\n  after: [{kind: EphemeralJob, name: logs}]\n'),
    expected: ['KR4001 head/kruise.yaml:3:18'],
  },
  {
    what: 'batches that shrink',
    head: clean,
    files: config('steps: [{match: {}, batches: [{to: 50%}, {to: 20%}, {to: 100%}]}]'),
    options: validate,
    expected: ['KR4002 head/kruise.yaml:1:47'],
  },
  {
    what: 'batches that do not end',
    head: clean,
    files: config('steps: [{match: {}, batches: [{to: 50%}]}]'),
    options: validate,
    expected: ['KR4003 head/kruise.yaml:1:36'],
  },
  {
    what: 'approval after the last batch',
    head: clean,
    files: config('steps: [{match: {}, batches: [{to: 50%}, {to: 100%}], approve: [1, 2]}]'),
    options: validate,
    expected: ['KR4004 head/kruise.yaml:1:68'],
  },
  {
    what: 'configuration that is a list',
    head: clean,
    files: config('- a\n'),
    options: validate,
    expected: ['KR4005 head/kruise.yaml:1:1'],
  },
];
