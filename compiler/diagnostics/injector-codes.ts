import { define } from './definition.ts';

/** KR219x: objects that add to new pods of any owner. */
export const injectorCodes = {
  KR2190: define<{ kind: string; name: string; other: string; what: string; shared: string }>({
    title: 'Sets that fight',
    severity: 'error',
    message: ({ kind, name, other, what, shared }) =>
      `${kind} ${name} and ${kind} ${other} select the same pods, and both have the ${what} ${shared}`,
    help: ({ shared }) => `rename ${shared} in one of them, or select other pods or namespaces`,
    about:
      'A pod that both select would get two different things under one name. The API server would refuse the pod, or the ' +
      'order of the two would decide. Selectors overlap unless they require different values of one label.',
    remedy:
      'Rename one of the two, make them equal where that is possible, or let the selectors exclude each other.',
  }),
  KR2191: define<{ message: string }>({
    title: 'Sidecars that cannot be injected',
    severity: 'error',
    message: ({ message }) => message,
    about:
      'The rules of the set give this template no valid pod, so a webhook would refuse every pod of it. `kruise build` writes ' +
      'nothing then.',
    remedy: 'Correct the set or the template, as the message says, or let the set select other pods.',
  }),
  KR2192: define<{ field: string; reason: string }>({
    title: 'Only new pods get the change',
    severity: 'warning',
    message: ({ field, reason }) => `no running pod gets the change of ${field}: ${reason}`,
    help: () => 'restart the workloads afterwards, or leave it to their next rollout',
    about:
      'The containers of a set are injected into pods of other owners, which the runtime never deletes. Of a running pod only ' +
      'images can change. So the steps set the share of new pods that get the change, and running pods stay as they are.',
    remedy:
      'Restart the owners of the pods when the plan has ended, for example with kubectl rollout restart. An image can be ' +
      'changed in a commit of its own, which updates running pods in place.',
  }),
} as const;
