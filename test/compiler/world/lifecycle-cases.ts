import type { Case } from './diagnostic-cases.ts';
import { cloneSet, type RunOptions } from './manifests.ts';

const validate: RunOptions = { args: ['validate', 'head'] };
const hooked = (lifecycle: string, labels = 'app: web'): string =>
  cloneSet({ spec: `  lifecycle: {${lifecycle}}` }).replace(
    /(metadata:\n? *labels: ?)\{app: web\}/,
    `$1{${labels}}`,
  );

/** Lifecycle hooks: handlers that no pod can have, hooks that hold no pod, and those whose end releases the pod. */
export const lifecycleCases: readonly Case[] = [
  {
    what: 'hooks that the template gives to pods',
    head: hooked(
      'preDelete: {labelsHandler: {a/b: c}}, inPlaceUpdate: {labelsHandler: {a/b: c}}, preNormal: {labelsHandler: {a/d: e}}',
      'app: web, a/b: c',
    ),
    options: validate,
    expected: [],
  },
  {
    what: 'a hook of a name below the domain of OpenKruise',
    head: hooked(
      'preDelete: {labelsHandler: {hook.example.kruise.io/a: c}}',
      'app: web, hook.example.kruise.io/a: c',
    ),
    options: validate,
    expected: [],
  },
  {
    what: 'a hook that no pod carries',
    head: hooked('preDelete: {labelsHandler: {a/b: c}}'),
    options: validate,
    expected: ['KR2180 head/web.yaml:12:15'],
  },
  {
    what: 'a hook that names nothing',
    head: hooked('preNormal: {}'),
    options: validate,
    expected: ['KR2180 head/web.yaml:12:15'],
  },
  {
    what: 'a hook that every new pod passes',
    head: hooked('preNormal: {labelsHandler: {a/b: c}}', 'app: web, a/b: c'),
    options: validate,
    expected: ['KR2180 head/web.yaml:12:15'],
  },
  {
    what: 'a hook of updates in place, where there are none',
    head: hooked('inPlaceUpdate: {labelsHandler: {a/b: c}}', 'app: web, a/b: c').replace(
      'type: InPlaceIfPossible',
      'type: ReCreate',
    ),
    options: validate,
    expected: ['KR2180 head/web.yaml:12:15'],
  },
  {
    what: 'a hook by the label that pods are selected by',
    head: hooked('preDelete: {labelsHandler: {app: web}}'),
    options: validate,
    expected: ['KR2181 head/web.yaml:12:15'],
  },
  {
    what: 'pods that were created before a hook was to keep them out of traffic',
    base: hooked('preDelete: {labelsHandler: {a/b: c}}', 'app: web, a/b: c'),
    head: hooked('preDelete: {labelsHandler: {a/b: c}, markPodNotReady: true}', 'app: web, a/b: c'),
    expected: ['KR2182 head/web.yaml:12:52'],
  },
  {
    what: 'a second hook that keeps pods out of traffic',
    base: hooked('preDelete: {labelsHandler: {a/b: c}, markPodNotReady: true}', 'app: web, a/b: c'),
    head: hooked(
      'preDelete: {labelsHandler: {a/b: c}, markPodNotReady: true}, inPlaceUpdate: {labelsHandler: {a/b: c}, markPodNotReady: true}',
      'app: web, a/b: c',
    ),
    expected: [],
  },
  {
    what: 'a handler that only a controller writes',
    head: hooked('preDelete: {labelsHandler: {lifecycle.apps.kruise.io/state: Normal}}'),
    options: validate,
    expected: ['KR2180 head/web.yaml:12:15', 'KR2005 head/web.yaml:12:75'],
  },
  {
    what: 'a label that no pod can have',
    head: hooked('preDelete: {labelsHandler: {a/b/c: d}}', 'app: web'),
    options: validate,
    expected: ['KR2180 head/web.yaml:12:15', 'KR2005 head/web.yaml:12:50'],
  },
  {
    what: 'a finalizer without a prefix',
    head: hooked('preDelete: {finalizersHandler: [drain]}'),
    options: validate,
    expected: ['KR2180 head/web.yaml:12:15', 'KR2005 head/web.yaml:12:47'],
  },
];
