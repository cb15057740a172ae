import { listed } from '../../semantics/values/listed.ts';
import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';
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
  KR2193: define<{ kind: string; name: string; workloads: number }>({
    title: 'A set that selects nothing in the manifests',
    severity: 'warning',
    message: ({ kind, name, workloads }) =>
      `${kind} ${name} selects no pod of the manifests, which have ${countText(workloads, 'workload')}`,
    help: () => 'compare the selectors with the labels of pod templates and namespaces',
    about:
      'The selector fits no pod template in the manifests that were read, or the selector of namespaces fits none of their ' +
      'namespaces. Then the set perhaps reaches no pod at all. Workloads whose namespaces have no manifest are left out.',
    remedy:
      'Correct the selectors. If the workloads are in another repository or folder, ignore this, or validate both together.',
  }),
  KR2194: define<{ what: string; level: string; namespaces: readonly string[]; reasons: readonly string[] }>({
    title: 'A namespace that refuses the sidecar',
    severity: 'warning',
    message: ({ what, level, namespaces, reasons }) =>
      `${namesOf(namespaces)} ${namespaces.length === 1 ? 'refuses' : 'refuse'} pods with the ${what} (Pod Security level ${level}): ` +
      listed(reasons, 'and'),
    help: () => 'mend what the level refuses, or let the set select other namespaces',
    about:
      'The manifest of the namespace has the label pod-security.kubernetes.io/enforce. The API server refuses there every new ' +
      'pod with what the set adds. Reported is only what no security context of the pod can mend.',
    remedy:
      'Correct the container or volume, or let namespaceSelector leave these namespaces out, or give them another level.',
  }),
  KR2195: define<{ kind: string; name: string; namespaces: readonly string[] }>({
    title: 'A namespace without injection',
    severity: 'warning',
    message: ({ kind, name, namespaces }) =>
      `${kind} ${name} names ${namesOf(namespaces)}, whose pods get no sidecars: no webhook is asked about them`,
    help: () => 'name other namespaces',
    about:
      'The webhook configuration leaves out the namespaces of Kubernetes and of the webhook itself. Otherwise a webhook that does ' +
      'not answer would stop the cluster.',
    remedy:
      'Leave the namespace out of the set. Write the containers into the templates there, for example with kruise build --sidecars.',
  }),
  KR2196: define<{ kind: string; name: string; other: string; what: string; shared: string }>({
    title: 'Sets of two roots that fight',
    severity: 'warning',
    message: ({ kind, name, other, what, shared }) =>
      `${kind} ${name} and, in another root, ${kind} ${other} select the same pods, and both have the ${what} ${shared}`,
    help: ({ shared }) =>
      `if one cluster gets both roots, rename ${shared} in one of them, or select other pods`,
    about:
      'In one cluster a pod that both select would get two different things under one name. Roots of kruise.yaml may be for ' +
      'different clusters, so this is no error. A set of the same name in both roots is not reported.',
    remedy:
      'If one cluster gets both roots: rename one of the two, make them equal where that is possible, or let the selectors ' +
      'exclude each other.',
  }),
  KR2198: define<{ kind: string; name: string; reaches: string; allowed: readonly string[] }>({
    title: 'Beyond the namespaces of the root',
    severity: 'error',
    message: ({ kind, name, reaches, allowed }) =>
      `${kind} ${name} ${reaches}, and its root is for ${namesOf(allowed)} only`,
    help: ({ allowed }) =>
      `name ${allowed.length === 1 ? 'this namespace' : 'one of these'} in it, move it to another root, or extend the list namespaces of this root in kruise.yaml`,
    about:
      'The list namespaces of a root in kruise.yaml names all namespaces of a team. A set of sidecars is in no namespace, and may ' +
      'change pods of every team. So a set of this root must name its namespaces, one by one: by namespace, or by the label ' +
      'kubernetes.io/metadata.name in its namespaceSelector. Other labels may be given to any namespace.',
    remedy:
      'Name a namespace of the root. Or move the manifest to a root that allows more, or extend the list.',
  }),
} as const;

const MOST_NAMED = 5;

/** `the namespace shop`, `the namespaces pay and shop` */
function namesOf(namespaces: readonly string[]): string {
  const more = namespaces.length - MOST_NAMED;
  const shown = namespaces.slice(0, MOST_NAMED).map((each) => shorten(each, 80));
  return `the ${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${listed(more > 0 ? [...shown, `${more} more`] : shown, 'and')}`;
}
