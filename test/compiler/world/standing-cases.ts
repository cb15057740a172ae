import { type Case, committedPlan, plannedUnder } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';
import type { RunOptions } from './manifests.ts';

const clean = cloneSet();
const changed = cloneSet({ image: 'nginx:1.27' });
const planned = plannedUnder(await committedPlan(changed));
const validate: RunOptions = { args: ['validate', 'head'] };

/** A manifest and its committed plan, as `kruise validate` compares them. */
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
];
