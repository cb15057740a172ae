import { listed } from '../../semantics/values/listed.ts';
import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';
import { firstOf } from './phrases.ts';

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
  KR2217: define<Clash>({
    title: 'A sidecar in place of the application',
    severity: 'error',
    message: clashText,
    help: ({ name }) => `rename ${name} in one of the two, or let the set select other pods or namespaces`,
    about:
      'OpenKruise lets the container of the set take the place of that of the pod: the application does not run, and the pod is ' +
      'ready. Here the webhook refuses such a pod, and `kruise build` writes nothing. An init container is replaced, too. Where one is an ' +
      'init container and the other is not, the API server refuses the pod.',
    remedy:
      'Rename one of the two containers, or let the set select other pods. If the set is meant to take the place of a container, ' +
      'give that container the variable IS_INJECTED with the value "true".',
  }),
  KR2218: define<Clash>({
    title: 'A volume of the pod instead of that of the set',
    severity: 'warning',
    message: clashText,
    help: ({ name }) =>
      `the sidecar mounts that of the pod; if that is not meant, rename the volume ${name} in the set`,
    about:
      'A set adds no volume of a name that the pod has. The sidecar then mounts the volume of the pod, whatever it holds, with ' +
      'the rights of its mount. The two volumes are not the same.',
    remedy: 'Rename the volume in the set. Nothing, if the sidecar is to read the volume of the pod.',
  }),
  KR2219: define<{ order: readonly string[] }>({
    title: 'Init containers run in another order',
    severity: 'warning',
    message: ({ order }) =>
      `the init containers run in the order of their names, not of the list: ${firstOf(order)}`,
    help: () => 'list them in this order, or give them names whose order is that in which they must run',
    about:
      'The init containers of all sets in a pod are sorted by name, as in OpenKruise, and come after those of the pod itself. Those ' +
      'with podInjectPolicy BeforeAppContainer come before them. The order of the list has no effect.',
    remedy: 'Begin the names with numbers: 1-prepare, 2-migrate. Or list them in the order of their names.',
  }),
  KR2222: define<Clash>({
    title: 'Perhaps a sidecar in place of the application',
    severity: 'warning',
    message: clashText,
    help: ({ name }) => `rename ${name} in one of the two, or let the set select other pods or namespaces`,
    about:
      'The set and the workload have a container of one name. Whether the set is injected there is not known: no manifest shows the ' +
      'labels of the namespace, or the two are in roots for perhaps different clusters. If it is, the webhook refuses each pod.',
    remedy: 'As for KR2217. A manifest of the namespace tells whether the set selects it.',
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
      'kubernetes.io/metadata.name in its namespaceSelector. Other labels may be given to any namespace. The same is true of ' +
      'what copies objects into namespaces: it names them in includedNamespaces or by that label, and never has allNamespaces.',
    remedy:
      'Name a namespace of the root. Or move the manifest to a root that allows more, or extend the list.',
  }),
  KR2199: define<{ kind: string; name: string; field: string; rule: string; help: string | undefined }>({
    title: 'A new set that pins a revision',
    severity: 'warning',
    message: ({ kind, name, field, rule }) =>
      `${kind} ${name} is new, and ${field} ${rule}: every pod that it selects is refused`,
    help: ({ help }) => help,
    about:
      'The set is not at base. Its first revision is recorded once it is in the cluster, so that it cannot have the pinned one. Until ' +
      'it has, the webhook refuses each pod that the set selects, as OpenKruise refuses the set. If the set is in the cluster ' +
      'already, such as one of OpenKruise that git takes over, the revision may be there.',
    remedy: 'Create the set without the field. Pin a revision in a later commit.',
  }),
} as const;

/** A set and a workload that have something of one name; `doubt`: under which condition they meet. */
interface Clash {
  set: string;
  workload: string;
  what: string;
  name: string;
  doubt: string | undefined;
}

function clashText({ set, workload, what, name, doubt }: Clash): string {
  const condition = doubt === undefined ? '' : `, ${doubt}`;
  return `${set} has the ${what} ${shorten(name, 80)}, and selects pods that have one of their own: ${workload}${condition}`;
}

/** `the namespace shop`, `the namespaces pay and shop` */
function namesOf(namespaces: readonly string[]): string {
  return `the ${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${firstOf(namespaces)}`;
}
