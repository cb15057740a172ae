import { FAILED_LAUNCH } from '../../runtime/report/drafts.ts';
import { recordingKinds } from '../../semantics/kinds/admitting.ts';
import { type Kind, planRulesOf } from '../../semantics/kinds/kind.ts';
import { LAUNCH_RECORD } from '../../semantics/launch/at-creation.ts';
import { barrierName } from '../../semantics/pod/launching.ts';
import { LAUNCH_BARRIER_ENV } from '../../semantics/pod/launch-priority.ts';
import { SIGNALS } from '../../semantics/pod/signals.ts';
import { RUN_KIND_LABEL, runKindLabel } from '../../semantics/run/labels.ts';
import { listed } from '../../semantics/values/listed.ts';
import { CLOSED_NAMESPACES, RUNTIME_ACCOUNT } from '../../semantics/values/system-namespaces.ts';
import { accountExpressions, owningKinds } from './confined.ts';
import { CHANGES_A_POD, changesAnnotations, isOwnMark, isSelected, list } from './marks.ts';

const targets = (kinds: readonly Kind[]): string[] => kinds.map(({ id }) => `${id.group} ${id.kind}`);

/** A CEL expression: whether `apiVersion` and `kind`, both expressions, are of one of these kinds. */
function isOneOf(kinds: readonly Kind[], apiVersion: string, kind: string): string {
  const groups = [...new Set(kinds.map(({ id }) => id.group))];
  const each = groups.map((group) => {
    const own = kinds.filter(({ id }) => id.group === group).map(({ id }) => id.kind);
    return `${apiVersion}.startsWith('${group}/') && ${kind} in ${list(own)}`;
  });
  return each.length === 1 ? each.join('') : `(${each.map((one) => `(${one})`).join(' || ')})`;
}

/** What the admission writes, as a part of a sentence in a comment. */
function admissionWrites(kinds: readonly Kind[]): string {
  const recording = recordingKinds(kinds).map(({ id }) => `${id.kind}s`);
  return recording.length === 0
    ? 'writes nothing'
    : `records in the status of ${listed(recording, 'and')} what these have allowed`;
}

/** Whether the request makes one of these kinds the controller of an object that has none. */
function isAdopted(kinds: readonly Kind[]): string {
  const adopts = (areNumbered: boolean): Kind[] =>
    kinds.filter(({ uses }) => uses.some((use) => use.of === 'Orphans' && use.areNumbered === areNumbered));
  const name = 'oldObject.metadata.name';
  const isNumbered = `(request.resource.resource != 'pods' || ${name}.substring(owner.name.size() + 1).matches('^[0-9]+$'))`;
  const owners = [
    ...isOwnedBy(adopts(true)).map((each) => `(${each} && ${isNumbered})`),
    ...isOwnedBy(adopts(false)).map((each) => `(${each})`),
  ];
  if (owners.length === 0) return 'false';
  return [
    "request.operation == 'UPDATE'",
    "request.resource.resource in ['pods', 'controllerrevisions']",
    '!variables.before.exists(owner, owner.?controller.orValue(false))',
    `variables.added.size() == 1 && variables.added.all(owner, owner.?controller.orValue(false) && ${name}.startsWith(owner.name + '-') && (${owners.join(' || ')}))`,
  ].join(' && ');
}

const isOwnedBy = (kinds: readonly Kind[]): string[] =>
  kinds.length === 0 ? [] : [isOneOf(kinds, 'owner.apiVersion', 'owner.kind')];

/**
 * A CEL expression: whether a pod has a barrier of its own name, and nothing of it changes but the record of what was released,
 * whoever controls it.
 */
function isLaunched(): string {
  const variables = 'each.?env.orValue([])';
  const barrier = [
    `variable.name == '${LAUNCH_BARRIER_ENV}'`,
    `variable.?valueFrom.?configMapKeyRef.?name.orValue('') == oldObject.metadata.name + '${barrierName('')}'`,
  ].join(' && ');
  return [
    ...CHANGES_A_POD,
    `oldObject.spec.containers.exists(each, ${variables}.exists(variable, ${barrier}))`,
    ...changesAnnotations(LAUNCH_RECORD),
  ].join(' && ');
}

/**
 * A CEL expression: whether a claim of a numbered pod is created, or grows, or gets or loses owners, and nothing else. It has no
 * controller; that pod and its target may own it, which its name shows.
 */
function isNumberedClaim(kinds: readonly Kind[]): string {
  const numbered = kinds.filter(({ uses }) =>
    uses.some((use) => use.of === 'Claims' && use.isUnowned === true),
  );
  if (numbered.length === 0) return 'false';
  const owners = '(variables.before + variables.after)';
  const stays = ['before', 'after'].map((side) => `variables.${side}.exists(each, each.uid == owner.uid)`);
  const isPod =
    "owner.apiVersion == 'v1' && owner.kind == 'Pod' && object.metadata.name.endsWith('-' + owner.name)";
  const ours = isOneOf(numbered, 'owner.apiVersion', 'owner.kind');
  const isTarget = `${ours} && object.metadata.name.contains('-' + owner.name + '-')`;
  // Of the spec of a bound claim the server lets only its size and these attributes change.
  const same = [
    ...['labels', 'annotations', 'finalizers'].map((field) => `metadata.?${field}`),
    'spec.?volumeAttributesClassName',
  ].map((field) => `object.${field} == oldObject.${field}`);
  return [
    "request.resource.resource == 'persistentvolumeclaims'",
    "request.operation != 'DELETE'",
    `!${owners}.exists(owner, owner.?controller.orValue(false))`,
    `${owners}.all(owner, (${stays.join(' && ')}) || (${isPod}) || (${isTarget}))`,
    `(request.operation == 'CREATE' || (${same.join(' && ')}))`,
  ].join(' && ');
}

/**
 * A CEL expression: whether a revision stores a run of one of these kinds, before and after. Nothing owns it but a target that
 * another one has created, which is no controller.
 */
function isRun(kinds: readonly Kind[]): string {
  const own = kinds.filter(({ uses }) => uses.some(({ of }) => of === 'Runs'));
  const labels = own.map(({ id }) => runKindLabel(id));
  if (labels.length === 0) return 'false';
  const isOurs = `key == '${RUN_KIND_LABEL}' && each.metadata.labels[key] in ${list(labels)}`;
  return [
    "request.resource.resource == 'controllerrevisions'",
    `(variables.before + variables.after).all(owner, !owner.?controller.orValue(false) && ${isOneOf(own, 'owner.apiVersion', 'owner.kind')})`,
    `[object, oldObject].all(each, each == null || each.metadata.?labels.orValue({}).exists(key, ${isOurs}))`,
  ].join(' && ');
}

/** A CEL expression: whether the kind of an owner reference is one whose targets own objects of the requested resource. */
function mayOwn(kinds: readonly Kind[]): string {
  const [first, ...more] = owningKinds(kinds).map(({ plurals, owners }) => ({
    isAsked: `request.resource.resource in ${list(plurals)}`,
    isOwner: owners.length === 0 ? 'false' : isOneOf(owners, 'owner.apiVersion', 'owner.kind'),
  }));
  if (first === undefined) return 'false';
  return `(${[first, ...more].map(({ isAsked, isOwner }) => `(${isAsked} && ${isOwner})`).join(' || ')})`;
}

/** The resources of children that the runtime patches, copies aside: their own policy is about those. */
function patchedChildren(kinds: readonly Kind[]): string[] {
  const plurals = kinds.flatMap(({ uses }) =>
    uses.flatMap((use) =>
      use.of === 'Children' && use.areFixed !== true && use.copies === undefined ? [use.resource.plural] : [],
    ),
  );
  return [...new Set(plurals)];
}

/** A CEL expression: whether the kind of an owner reference is one whose targets make copies. */
function ownerCopies(kinds: readonly Kind[]): string {
  const copying = kinds.filter(({ uses }) =>
    uses.some((use) => use.of === 'Children' && use.copies !== undefined),
  );
  return copying.length === 0 ? 'false' : isOneOf(copying, 'owner.apiVersion', 'owner.kind');
}

/** A CEL expression: whether an object is a copy that a target controls, and stays with its owners. */
function isCopy(kinds: readonly Kind[]): string {
  const isOurs = ownerCopies(kinds);
  if (isOurs === 'false') return 'false';
  const owners = (side: string): string => `${side}.metadata.?ownerReferences`;
  return [
    `(request.operation != 'CREATE' || ${owners('object')}.orValue([]).size() == 1)`,
    `(request.operation != 'UPDATE' || ${owners('object')} == ${owners('oldObject')})`,
    `[object, oldObject].all(each, each == null || ${owners('each')}.orValue([]).exists(owner, owner.?controller.orValue(false) && ${isOurs}))`,
  ].join(' && ');
}

/** A CEL expression: whether a target that has ended is deleted, of a kind whose targets have a time to live. */
function isExpired(kinds: readonly Kind[]): string {
  const plurals = kinds.flatMap(({ resource, expires }) => (expires ? [resource.plural] : []));
  if (plurals.length === 0) return 'false';
  const isOver = "each.type in ['Complete', 'Failed'] && each.status == 'True'";
  const isEnded = `(oldObject.?status.?conditions.orValue([]).exists(each, ${isOver}) || oldObject.?status.?phase.orValue('') == 'Completed' || oldObject.?status.?completionTime.orValue('') != '')`;
  return `request.operation == 'DELETE' && request.resource.resource in ${list(plurals)} && ${isEnded}`;
}

/** What marks the roles of the runtime. Whoever has every right has the other verb, too, and is not the runtime. */
const confined = (within: string): string => {
  const may = (verb: string): string =>
    `authorizer.group('plan.kruise.io').resource('runtimes')${within}.check('${verb}').allowed()`;
  return `${may('be-confined')} && !${may('be-unconfined')}`;
};
const WITHIN = ".namespace(request.?namespace.orValue(''))";

/**
 * A CEL expression: whether the runtime asks, of any namespace and any name. Controllers of Kubernetes write the most, and are not
 * asked about.
 */
export const isTheRuntime: string = [
  "request.userInfo.username.startsWith('system:serviceaccount:') && ",
  `(request.userInfo.username.endsWith(':${RUNTIME_ACCOUNT}') || `,
  `(!request.userInfo.username.startsWith('system:serviceaccount:kube-system:') && ${confined(WITHIN)}))`,
].join('');

/** The managed kinds that others of these create, and those others. */
function creations(kinds: readonly Kind[]): { created: Kind[]; creators: Kind[] } {
  const children = ({ uses }: Kind): string[] =>
    uses.flatMap((use) => (use.of === 'Children' ? [`${use.resource.group} ${use.resource.kind}`] : []));
  const isIn = (all: readonly string[], { id }: Kind): boolean => all.includes(`${id.group} ${id.kind}`);
  const created = kinds.filter((kind) => isIn(kinds.flatMap(children), kind));
  return { created, creators: kinds.filter((kind) => created.some((each) => isIn(children(kind), each))) };
}

/** Plans may be about its targets. */
const hasPlans = (kind: Kind): boolean => planRulesOf(kind) !== undefined;

/** The CEL expressions that the policy templates use, for the registered kinds, by placeholder name. */
export function expressionsOf(kinds: readonly Kind[]): Map<string, string> {
  const inCluster = kinds.filter(({ resource }) => !resource.namespaced);
  const inNamespaces = kinds.filter(({ resource }) => resource.namespaced);
  // Others own no revision, and no command is about them.
  const planned = kinds.filter(hasPlans);
  const commanded = (some: readonly Kind[]): string => list(targets(some.filter(hasPlans)));
  const { created, creators } = creations(kinds);
  const owner = (some: readonly Kind[]): string => isOneOf(some, 'owner.apiVersion', 'owner.kind');
  const about = (some: readonly Kind[], namespace: string): string => {
    const object = 'each.involvedObject.?';
    const isAbout = isOneOf(some, `${object}apiVersion.orValue('')`, `${object}kind.orValue('')`);
    return `${isAbout} && ${object}namespace.orValue('') == ${namespace}`;
  };
  const aboutPod = `(each.?reason.orValue('') == '${FAILED_LAUNCH}' && each.involvedObject.?apiVersion.orValue('') == 'v1' && each.involvedObject.?kind.orValue('') == 'Pod' && each.involvedObject.?namespace.orValue('') == request.namespace)`;
  const glass = "authorizer.group('plan.kruise.io').resource";
  const own = `${glass}('rolloutcommands').namespace(object.metadata.namespace)`;
  const common = [
    ['targets', listed(targets(planned), 'or')],
    ['owner is ours', owner(planned)],
    ['owner may own it', mayOwn(kinds)],
    ['patched children', list(patchedChildren(kinds))],
    ['is the runtime', isTheRuntime],
    ['is confined everywhere', confined('')],
    ['is expired', isExpired(kinds)],
    ['is a copy', isCopy(kinds)],
    ['owner copies', ownerCopies(kinds)],
    ['closed namespaces', list(CLOSED_NAMESPACES)],
    ['signals', `[${SIGNALS.map(list).join(', ')}]`],
    ...accountExpressions(kinds),
    ['is a claim of a numbered pod', isNumberedClaim(kinds)],
    ['is adopted', isAdopted(kinds)],
    ['is a run', isRun(kinds)],
    ['is selected', isSelected(kinds)],
    ['is launched', isLaunched()],
    ['is marked', isOwnMark(kinds)],
    ['admission writes', admissionWrites(kinds)],
    ['groups of created targets', [...new Set(created.map(({ id }) => id.group))].join("', '")],
    ['created targets', created.map(({ resource }) => resource.plural).join("', '")],
    ['owner creates targets', creators.length === 0 ? 'false' : owner(creators)],
    [
      'kinds that create',
      listed(
        creators.map(({ id }) => `${id.kind}s`),
        'and',
      ),
    ],
  ] as const;
  if (inCluster.length === 0)
    return new Map([
      ...common,
      ['targets of the command', commanded(inNamespaces)],
      ['may break the glass', `${own}.check('break-glass').allowed()`],
      ['place', 'object.metadata.namespace'],
      ['is in no closed namespace', '!(request.namespace in variables.closed || variables.isAtHome)'],
      ['event is about ours', `((${about(inNamespaces, 'request.namespace')}) || ${aboutPod})`],
    ]);
  const isCommand = "request.resource.resource == 'rolloutcommands'";
  // Records of cluster-scoped targets are in the runtime's namespace.
  const isMemory = `request.resource.resource == 'controllerrevisions' && (variables.before + variables.after).all(owner, ${owner(inCluster.filter(hasPlans))})`;
  // The server stores Events about cluster-scoped objects in this namespace.
  const inNone = `request.namespace == 'default' && ${about(inCluster, "''")}`;
  return new Map([
    ...common,
    ['targets of the command', `(${isCommand} ? ${commanded(inNamespaces)} : ${commanded(inCluster)})`],
    [
      'may break the glass',
      `(${isCommand} ? ${own} : ${glass}('clusterrolloutcommands')).check('break-glass').allowed()`,
    ],
    ['place', "object.metadata.?namespace.orValue('the cluster')"],
    [
      'is in no closed namespace',
      `!(request.namespace in variables.closed || variables.isAtHome) || (${isMemory})`,
    ],
    ['event is about ours', `((${about(inNamespaces, 'request.namespace')}) || (${inNone}) || ${aboutPod})`],
  ]);
}
