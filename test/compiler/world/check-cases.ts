import { parse } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { planFile } from '../../../compiler/render/plan-file.ts';
import { type Case, committedPlan } from './diagnostic-cases.ts';
import { cloneSet, kruise } from './manifests.ts';
import type { RunOptions } from './manifests.ts';

const clean = cloneSet();
const changed = cloneSet({ image: 'nginx:1.27' });
const other = cloneSet({ image: 'nginx:1.28' });
const check: RunOptions = { args: ['plan', 'head', '--base-dir', 'base', '--check'] };
const plan = await committedPlan(changed);
const at = 'plans/shop/cloneset-web/plan.yaml';
const head = (text: string, path = at): Record<string, string> => ({ [`head/${path}`]: text });

const { spec, ...rest } = parse(plan) as RolloutPlan;
const steps = spec.steps.map((step) => ({ ...step, update: { to: '100%' } }));
const bare = planFile({ ...rest, spec: { ...spec, steps, digest: planDigest({ ...spec, steps }) } });

const window = { maxUnavailable: 1, maxSurge: 0 };
const two = [
  { id: 'batch-1', update: { to: 2, window } },
  { id: 'batch-2', update: { to: '100%', window } },
];
const narrow = planFile({
  ...rest,
  spec: { ...spec, steps: two, digest: planDigest({ ...spec, steps: two }) },
});

const api = (image: string): string => cloneSet({ name: 'api', image });
const { host } = await kruise({ 'base/api.yaml': api('api:1'), 'head/api.yaml': api('api:2') });
const planOfApi = String(host.files.get('/repo/head/plans/shop/cloneset-api/plan.yaml'));

/** Committed plans that are not those of a change. */
export const checkCases: readonly Case[] = [
  {
    what: 'nothing to continue',
    base: clean,
    head: clean,
    options: { args: ['plan', 'head', '--base-dir', 'base', '--continue'] },
    expected: ['KR3029'],
  },
  {
    what: 'nothing that goes back',
    base: clean,
    head: clean,
    options: { args: ['plan', 'head', '--base-dir', 'base', '--going-back', '25%'] },
    expected: ['KR3030'],
  },
  {
    what: 'a batch that the plan at base has, and kruise.yaml not',
    base: changed,
    head: changed,
    files: {
      [`base/${at}`]: narrow,
      ...head(narrow),
      'head/kruise.yaml': 'steps: [{match: {}, batches: [{to: 1}, {to: 100%, window: {maxUnavailable: 2}}]}]',
    },
    options: { args: ['plan', 'head', '--base-dir', 'base', '--continue'] },
    expected: ['KR3036 head/web.yaml:4:9'],
  },
  {
    what: 'a plan without limits',
    base: clean,
    head: changed,
    files: head(bare),
    options: check,
    expected: [`KR3028 head/${at}:1:1`],
  },
  {
    what: 'no plan',
    base: clean,
    head: changed,
    options: check,
    expected: ['KR3018'],
  },
  {
    what: 'the plan of base is gone',
    base: changed,
    head: changed,
    files: { [`base/${at}`]: plan },
    options: check,
    expected: ['KR3018'],
  },
  {
    what: 'a plan for another template',
    base: clean,
    head: other,
    files: head(plan),
    options: check,
    expected: [`KR3019 head/${at}:1:1`],
  },
  {
    what: 'a plan from another template',
    base: other,
    head: changed,
    files: head(plan),
    options: check,
    expected: [`KR3020 head/${at}:1:1`],
  },
  {
    what: 'a plan of a change that is no longer there',
    base: clean,
    head: clean,
    files: head(plan),
    options: check,
    expected: [`KR3021 head/${at}:1:1`],
  },
  {
    what: 'a plan of a target that was gone before',
    base: clean,
    head: clean,
    files: {
      'base/plans/shop/cloneset-api/plan.yaml': planOfApi,
      'head/plans/shop/cloneset-api/plan.yaml': planOfApi,
    },
    options: check,
    expected: ['KR3021 head/plans/shop/cloneset-api/plan.yaml:1:1'],
  },
  {
    what: 'a plan in another folder than that of its target',
    base: clean,
    head: changed,
    files: head(plan, 'plans/shop/web/plan.yaml'),
    options: check,
    expected: ['KR3022 head/plans/shop/web/plan.yaml:1:1'],
  },
  {
    what: 'a plan among the manifests',
    base: clean,
    head: changed,
    files: head(plan, 'services/plan.yaml'),
    expected: ['KR3022 head/services/plan.yaml:5:9'],
  },
  {
    what: 'two plans of one target',
    base: clean,
    head: changed,
    files: { ...head(plan), ...head(plan, 'plans/shop/copy/plan.yaml') },
    options: check,
    expected: ['KR3018', 'KR3003 head/plans/shop/copy/plan.yaml:1:1'],
  },
  {
    what: 'a plan whose spec was edited',
    base: clean,
    head: changed,
    files: head(plan.replace('"100%"', '"50%"')),
    options: check,
    expected: [`KR3001 head/${at}:35:11`],
  },
  {
    what: 'a plan whose namespace was edited',
    base: clean,
    head: changed,
    files: head(plan.replace('namespace: shop', 'namespace: prod')),
    options: check,
    expected: [`KR3023 head/${at}:6:14`],
  },
  {
    what: 'a plan without the annotation that keeps Flux from rewriting it',
    base: clean,
    head: changed,
    files: head(plan.replace(/ {2}annotations:\n.*\n/, '')),
    options: check,
    expected: [`KR3023 head/${at}:5:3`],
  },
  {
    what: 'plans in one state: of another name, and among the manifests',
    head: changed,
    files: { ...head(plan.replace('name: cloneset-web', 'name: web')), ...head(plan, 'services/plan.yaml') },
    options: { args: ['validate', 'head'] },
    expected: [`KR3023 head/${at}:5:9`, 'KR3022 head/services/plan.yaml:5:9'],
  },
  {
    what: 'a misplaced plan in one state, and one that is right for a run below',
    head: changed,
    files: { ...head(plan, 'plans/shop/web/plan.yaml'), ...head(plan, `services/${at}`) },
    options: { args: ['validate', 'head'] },
    expected: ['KR3022 head/plans/shop/web/plan.yaml:1:1'],
  },
  {
    what: 'a plan twice in one state',
    head: changed,
    files: { ...head(plan), ...head(plan, 'plans/shop/copy/plan.yaml') },
    options: { args: ['validate', 'head'] },
    expected: [`KR3003 head/plans/shop/copy/plan.yaml:1:1`],
  },
  {
    what: 'nothing to read',
    base: '',
    options: { args: ['plan', 'empty', '--base-dir', 'empty-base'] },
    files: { 'empty/README.md': '', 'empty-base/README.md': '' },
    expected: ['KR1031'],
  },
  {
    what: 'the folder of plans alone',
    options: { args: ['plan', 'head/plans', '--base-dir', 'before', '--check'] },
    files: { 'before/shop/cloneset-web/plan.yaml': plan, ...head(plan) },
    expected: ['KR1031'],
  },
  {
    what: 'no workload to plan',
    base: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    head: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    expected: ['KR1032'],
  },
];
