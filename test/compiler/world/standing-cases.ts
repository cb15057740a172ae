import { parse, stringify } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { type Case, committedPlan, plannedUnder } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';
import type { RunOptions } from './manifests.ts';

const clean = cloneSet();
const changed = cloneSet({ image: 'nginx:1.27' });
const plan = await committedPlan(changed);
const planned = plannedUnder(plan);
const validate: RunOptions = { args: ['validate', 'head'] };

/** That plan with other fields, and a digest that verifies. */
function sealedWith(fields: object): string {
  const { spec, ...rest } = parse(plan) as RolloutPlan;
  const own = { ...spec, ...fields };
  return stringify({ ...rest, spec: { ...own, digest: planDigest(own) } });
}

/** Manifests and their committed plans: as `kruise validate` compares them, and damaged ones at base. */
export const standingCases: readonly Case[] = [
  {
    what: 'one state alone, whose plan allows less than its update policy does',
    head: changed.replace('type: InPlaceIfPossible', 'type: ReCreate'),
    files: planned,
    options: validate,
    expected: ['KR3012 head/web.yaml:11:11'],
  },
  {
    what: 'one state alone, whose plan leads elsewhere',
    head: cloneSet({ image: 'nginx:1.28' }),
    files: planned,
    options: validate,
    expected: ['KR3013 head/web.yaml:12:3'],
  },
  {
    what: 'one state alone, whose plan allows less',
    head: cloneSet({ image: 'nginx:1.27', spec: '    partition: 3' }),
    files: plannedUnder(await committedPlan(cloneSet({ image: 'nginx:1.27', spec: '    partition: 5' }))),
    options: validate,
    expected: ['KR3013 head/web.yaml:12:16'],
  },
  {
    what: 'one state alone, with its plan',
    head: changed,
    files: planned,
    options: validate,
    expected: [],
  },
  {
    what: 'one state alone, back where its plan starts',
    head: clean,
    files: planned,
    options: validate,
    expected: [],
  },
  {
    what: 'plan edited by hand',
    base: changed,
    head: clean,
    files: { 'base/plans/shop/cloneset-web/plan.yaml': plan.replace('"100%"', '"50%"') },
    expected: ['KR3025 base/plans/shop/cloneset-web/plan.yaml:35:11'],
  },
  {
    what: 'file that is no plan',
    base: changed,
    head: clean,
    files: { 'base/plans/shop/cloneset-web/plan.yaml': plan.replace('  steps:', '  stages:') },
    expected: ['KR3025 base/plans/shop/cloneset-web/plan.yaml:10:3'],
  },
  {
    what: 'plan that another version has sealed',
    base: changed,
    head: clean,
    files: { 'base/plans/shop/cloneset-web/plan.yaml': sealedWith({ extra: 'a field of tomorrow' }) },
    expected: ['KR3002 base/plans/shop/cloneset-web/plan.yaml:9:3'],
  },
  {
    what: 'two plans for one target',
    base: changed,
    head: clean,
    files: { 'base/plans/shop/cloneset-web/plan.yaml': plan, 'base/plans/shop/copy/plan.yaml': plan },
    expected: ['KR3025 base/plans/shop/copy/plan.yaml:1:1'],
  },
];
