import { bindings, POLICY, policies } from '../../runtime/break-glass.ts';
import { definitionName, definitions } from '../../runtime/definitions.ts';
import {
  claimRights,
  componentRights,
  kindsWithin,
  launchRights,
  neededRights,
  nodeRights,
  type Right,
  optionalRights,
  resizeRights,
  type RuntimeScope,
} from '../../runtime/rights.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { policedKinds, policyName } from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { listLines } from './confined.ts';

/** The comment above the rules of a resource: why the runtime needs them. */
const reasons: ReadonlyMap<string, string> = new Map([
  [
    keyOf(resources.RolloutCommand),
    'The result of a command is written to its status; the command is deleted a day later.',
  ],
  [
    keyOf(resources.Pod),
    'Pods are created, updated in place (patch) and deleted; get is used after a name conflict, for pods too large to be cached, and for one that a request names.',
  ],
  [keyOf(resources.Pod, 'status'), 'The readiness gate InPlaceUpdateReady.'],
  [
    keyOf(resources.Pod, 'resize'),
    'Cpu and memory of running containers, of targets with the annotation plan.kruise.io/resize-in-place.',
  ],
  [
    keyOf(resources.Pod, 'exec'),
    'One signal to a container. A web socket is opened by a GET, for which servers ask for either verb.',
  ],
  [
    keyOf(resources.PersistentVolumeClaim),
    'Claims of targets with claim templates; claims are only watched if there is such a target.',
  ],
  [keyOf(resources.ConfigMap), 'What targets copy into their namespaces. Policies allow no other.'],
  [keyOf(resources.ControllerRevision), 'Revisions of the template, and the records of accepted plans.'],
  [keyOf(resources.Event), 'The count of a repeated Event is patched.'],
  [keyOf(resources.Namespace), 'The annotation plan.kruise.io/policy of namespaces, and their labels.'],
  [
    keyOf(resources.Node),
    'For pull steps and the check `nodes`, and to scale in pods that are spread over zones; nodes are only watched if one of them is used.',
  ],
  [keyOf(definitions), 'To verify that the definitions are installed and not older than the runtime.'],
  [
    keyOf(policies),
    'To verify that the admission policies for commands are installed: otherwise BreakGlass is refused.',
  ],
]);

/** ConfigMaps in a role for the order of containers. */
const LAUNCH_REASONS: ReadonlyMap<string, string> = new Map(reasons).set(
  keyOf(resources.ConfigMap),
  'The order in which containers of a pod start: POD-barrier has a key for each priority that may start. Policies allow no other.',
);

const PROTECTION_REASONS: ReadonlyMap<string, string> = new Map([
  [keyOf(resources.Namespace), 'Two annotations are patched; get is used when an object has lost the label.'],
  [keyOf(resources.Pod), 'What is in a Namespace.'],
]);

const EVERYWHERE: RuntimeScope = { namespace: undefined, lease: undefined };

/** The rules of a cluster-wide runtime: the permissions it verifies at startup, and those restricted by name. */
export function runtimeRules(kinds: readonly Kind[]): string {
  const rights = rightsOf(kinds, EVERYWHERE);
  return rulesOf([...rights, ...nodeRights(), ...restrictedByName(kinds)], kinds, reasons);
}

/** The rules for pods whose containers start in an order: they are in a role of their own, to be bound by namespace. */
export function launchRules(kinds: readonly Kind[]): string {
  return rulesOf(launchRights(kinds, EVERYWHERE), kinds, LAUNCH_REASONS);
}

/** The rules of the component for objects of built-in kinds that targets control. */
export function nativeWorkloadRules(kinds: readonly Kind[]): string {
  return rulesOf(componentRights('native-workloads', kinds, EVERYWHERE), kinds, reasons);
}

/** The rules of the component for ConfigMaps that targets copy. */
export function distributionRules(kinds: readonly Kind[]): string {
  return rulesOf(componentRights('distributions', kinds, EVERYWHERE), kinds, reasons);
}

/** The rules of the component for Secrets that targets copy. */
export function secretRules(kinds: readonly Kind[]): string {
  return rulesOf(componentRights('secrets', kinds, EVERYWHERE), kinds, reasons);
}

/** The rules of the component for signals to containers. */
export function execRules(kinds: readonly Kind[]): string {
  return rulesOf(componentRights('container-exec', kinds, EVERYWHERE), kinds, reasons);
}

/** The rules of the component for Namespaces and definitions that are protected while something is in them. */
export function protectionRules(kinds: readonly Kind[]): string {
  return rulesOf(componentRights('cascading-protection', kinds, EVERYWHERE), kinds, PROTECTION_REASONS);
}

/** The rules of a single-namespace runtime. They contain no nodes, definitions or policies. */
export function runtimeRulesOfOne(kinds: readonly Kind[]): string {
  const where: RuntimeScope = { namespace: 'its own', lease: undefined };
  const within = kindsWithin(kinds, where);
  // A Role applies to its own namespace, so its rules name none.
  const rights = [...rightsOf(within, where), ...launchRights(within, where)].map(
    ({ verb, resource, subresource, name }): Right => ({
      verb,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(name !== undefined && resource !== resources.Namespace && { name }),
    }),
  );
  const itself = 'The annotation plan.kruise.io/policy of the namespace itself.';
  return rulesOf(rights, within, new Map(LAUNCH_REASONS).set(keyOf(resources.Namespace), itself));
}

function rightsOf(kinds: readonly Kind[], where: RuntimeScope): Right[] {
  const needed = neededRights(kinds, where);
  const last = new Set<Resource>([resources.ControllerRevision, resources.Namespace]);
  const about = (one: Resource): Right[] => needed.filter(({ resource }) => resource === one);
  return [
    ...needed.filter(({ resource }) => !last.has(resource)),
    ...resizeRights(kinds, where),
    ...claimRights(kinds, where),
    ...about(resources.ControllerRevision),
    ...optionalRights(where),
    ...about(resources.Namespace),
  ];
}

/** Permissions restricted to a resource name. */
function restrictedByName(kinds: readonly Kind[]): Right[] {
  const inCluster = kinds.some(({ resource }) => !resource.namespaced);
  const { RolloutPlan, RolloutCommand, ClusterRolloutPlan, ClusterRolloutCommand } = resources;
  const defined: Resource[] = [
    ...kinds.map(({ resource }) => resource),
    RolloutPlan,
    RolloutCommand,
    ...(inCluster ? [ClusterRolloutPlan, ClusterRolloutCommand] : []),
  ];
  const names = defined.map(definitionName).sort();
  return [
    ...names.map((name) => ({ verb: 'get', resource: definitions, name })),
    ...[POLICY, ...policedKinds(kinds).map(({ rules }) => policyName(rules))].flatMap((name) =>
      [policies, bindings].map((resource) => ({ verb: 'get', resource, name })),
    ),
  ];
}

/** The rules of a role as YAML: one per resource, so that each can be reviewed and removed separately. */
function rulesOf(rights: readonly Right[], kinds: readonly Kind[], why: ReadonlyMap<string, string>): string {
  const rules = new Map<string, { right: Right; names: Set<string>; isOfAll: boolean; verbs: Set<string> }>();
  for (const right of rights) {
    const key = keyOf(right.resource, right.subresource);
    const rule = rules.get(key) ?? { right, names: new Set(), isOfAll: false, verbs: new Set() };
    if (right.name === undefined) rule.isOfAll = true;
    else rule.names.add(right.name);
    rule.verbs.add(right.verb);
    rules.set(key, rule);
  }
  const [first] = kinds;
  const workloads = 'Workloads and plans are read; only their status is written.';
  return [...rules]
    .flatMap(([key, { right, names, isOfAll, verbs }]) => {
      const isFirst = first !== undefined && key === keyOf(first.resource);
      const reason = isFirst ? workloads : why.get(key);
      const rule = ruleOf([right.resource], [...verbs], right.subresource, isOfAll ? [] : [...names]);
      return reason === undefined ? [rule] : [`# ${reason}`, rule];
    })
    .join('\n');
}

/** One rule as YAML, for resources of one group. */
export function ruleOf(
  about: readonly Resource[],
  verbs: readonly string[],
  subresource?: string,
  names: readonly string[] = [],
): string {
  const group = about[0]?.group ?? '';
  const plurals = about.map(({ plural }) =>
    subresource === undefined ? plural : `${plural}/${subresource}`,
  );
  return [
    `- apiGroups: [${group === '' ? "''" : group}]`,
    ...listLines('resources', plurals),
    ...(names.length === 1 ? [`  resourceNames: [${names.join('')}]`] : []),
    ...(names.length > 1 ? ['  resourceNames:', ...names.map((name) => `    - ${name}`)] : []),
    `  verbs: [${verbs.join(', ')}]`,
  ].join('\n');
}

function keyOf({ group, plural }: Resource, subresource?: string): string {
  return [group, plural, ...(subresource === undefined ? [] : [subresource])].join(' ');
}
