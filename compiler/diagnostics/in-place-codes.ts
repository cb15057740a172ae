import { define } from './definition.ts';

/** KR2188: updates in place that a cluster cannot make. */
export const inPlaceCodes = {
  KR2188: define<{ field: string; needs: string; assumed: string }>({
    title: 'Resize in place on an older Kubernetes',
    severity: 'error',
    check: 'refused',
    message: ({ field, needs, assumed }) =>
      `${field} is resized in place, which needs Kubernetes ${needs}, and kruise.yaml assumes ${assumed}`,
    about:
      'A running container is resized through pods/resize, which Kubernetes serves from 1.33 on. A memory limit is lowered ' +
      'from 1.34 on. An older server would refuse the change, and the plan would halt.',
    remedy:
      'Remove the annotation plan.kruise.io/resize-in-place: then the plan recreates pods. If the clusters are newer, correct ' +
      'assume.kubernetes.',
  }),
} as const;
