import {
  claimRights,
  componentRights,
  launchRights,
  neededRights,
  optionalRights,
  resizeRights,
  type Right,
  type RuntimeScope,
} from '../../runtime/rights.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type Kind, planRulesOf } from '../../semantics/kinds/kind.ts';
import { RUNTIME_ACCOUNT } from '../../semantics/values/system-namespaces.ts';

const { Pod, PersistentVolumeClaim, ControllerRevision, ConfigMap, Secret, Event, Lease } = resources;
const EVERYWHERE: RuntimeScope = { namespace: undefined, lease: undefined };
const WRITES = ['create', 'update', 'patch', 'delete'];

/** Resources with a policy of their own: what they are about decides, and not who owns them. */
const JUDGED_APART: readonly Resource[] = [
  ConfigMap,
  Secret,
  Event,
  Lease,
  resources.RolloutCommand,
  resources.ClusterRolloutCommand,
];

/** Every right of the runtime for the whole cluster by which it writes. */
function writeRights(kinds: readonly Kind[]): Right[] {
  return [neededRights, claimRights, resizeRights, launchRights]
    .flatMap((rights) => rights(kinds, EVERYWHERE))
    .concat(
      componentRights('native-workloads', kinds, EVERYWHERE),
      componentRights('distributions', kinds, EVERYWHERE),
      componentRights('secrets', kinds, EVERYWHERE),
      optionalRights(EVERYWHERE),
    )
    .filter(({ verb }) => WRITES.includes(verb));
}

/** What the runtime may write because a target owns it. The status of a target or a plan is open to the runtime. */
export function ownedWrites(kinds: readonly Kind[]): Right[] {
  const { RolloutPlan, ClusterRolloutPlan } = resources;
  const reported: readonly Resource[] = [
    ...kinds.map(({ resource }) => resource),
    RolloutPlan,
    ClusterRolloutPlan,
  ];
  return writeRights(kinds).filter(
    ({ resource, subresource }) =>
      !JUDGED_APART.includes(resource) && !(subresource === 'status' && reported.includes(resource)),
  );
}

/** The kinds whose targets may own objects of a resource. */
function ownersOf(kinds: readonly Kind[], { group, plural }: Resource): Kind[] {
  const is = (other: Resource): boolean => other.group === group && other.plural === plural;
  if (is(ControllerRevision)) return kinds.filter((kind) => planRulesOf(kind) !== undefined);
  return kinds.filter(({ uses }) =>
    uses.some((use) => {
      if (is(Pod)) return use.of === 'OwnedPods';
      if (is(PersistentVolumeClaim)) return use.of === 'Claims';
      return use.of === 'Children' && is(use.resource);
    }),
  );
}

/** Resources by the kinds that may own them. */
export function owningKinds(kinds: readonly Kind[]): { plurals: string[]; owners: Kind[] }[] {
  const found = new Map<string, { plurals: string[]; owners: Kind[] }>();
  for (const resource of new Set(ownedWrites(kinds).map((right) => right.resource))) {
    const owners = ownersOf(kinds, resource);
    const key = owners.map(({ id }) => `${id.group} ${id.kind}`).join();
    const known = found.get(key);
    if (known === undefined) found.set(key, { plurals: [resource.plural], owners });
    else if (!known.plurals.includes(resource.plural)) known.plurals.push(resource.plural);
  }
  return [...found.values()];
}

/** So long may a list be in one line: the formatter would break a longer one. */
const LONGEST_LINE = 100;

/** A list of names as a field of a rule, in one line where it fits. */
export function listLines(field: string, names: readonly string[]): string[] {
  const line = `  ${field}: [${names.join(', ')}]`;
  return line.length <= LONGEST_LINE ? [line] : [`  ${field}:`, ...names.map((name) => `    - ${name}`)];
}

/** Resource rules of a policy as YAML, by group. */
export function resourceRules(
  names: readonly (readonly [group: string, plural: string])[],
  operations: readonly string[],
  scope: 'Namespaced' | 'All' = 'Namespaced',
): string {
  const groups = [...new Set(names.map(([group]) => group))];
  return groups
    .map((group) => {
      const own = names.filter((each) => each[0] === group).map(([, plural]) => plural);
      return [
        `- apiGroups: [${group === '' ? "''" : group}]`,
        `  apiVersions: ['*']`,
        `  operations: [${operations.join(', ')}]`,
        ...listLines('resources', [...new Set(own)]),
        `  scope: ${scope === 'All' ? "'*'" : scope}`,
      ].join('\n');
    })
    .join('\n');
}

/** What the policy about owners is for: all that the runtime may write and that has an owner. */
export function ownedResourceRules(kinds: readonly Kind[]): string {
  return writtenResourceRules(ownedWrites(kinds));
}

/** What the policy of the component native-workloads is for: all that the component lets the runtime write. */
export function nativeResourceRules(kinds: readonly Kind[]): string {
  const rights = componentRights('native-workloads', kinds, EVERYWHERE);
  return writtenResourceRules(rights.filter(({ verb }) => WRITES.includes(verb)));
}

function writtenResourceRules(rights: readonly Right[]): string {
  const names = rights.map(
    ({ resource: { group, plural }, subresource }) =>
      [group, subresource === undefined ? plural : `${plural}/${subresource}`] as const,
  );
  return resourceRules(names, ['CREATE', 'UPDATE', 'DELETE']);
}

const withPods = (kinds: readonly Kind[]): Kind[] =>
  kinds.filter(({ resource, podTemplates }) => resource.namespaced && podTemplates.length > 0);

/** What the policy about embedded service accounts is for: the kinds whose targets have templates of pods. */
export function templatedResourceRules(kinds: readonly Kind[]): string {
  const names = withPods(kinds).map(({ resource: { group, plural } }) => [group, plural] as const);
  return resourceRules(names, ['CREATE', 'UPDATE']);
}

const FIELDS = ['serviceAccountName', 'serviceAccount'];

/** A CEL expression: the service accounts that pod specs at these paths of an object name; empty texts among them. */
function accountsAt(object: string, specs: readonly (readonly string[])[]): string {
  const each = specs.flatMap((path) =>
    FIELDS.map((field) => `${object}.${[...path, field].map((key) => `?${key}`).join('.')}.orValue('')`),
  );
  return `[${[...new Set(each)].join(', ')}]`;
}

/** The expressions about service accounts, by placeholder name. */
export function accountExpressions(kinds: readonly Kind[]): [string, string][] {
  const inTemplates = withPods(kinds).flatMap(({ podTemplates }) =>
    podTemplates.map((path) => [...path, 'spec']),
  );
  const children = kinds.flatMap(({ uses }) =>
    uses.flatMap((use): string[][] => {
      if (use.of !== 'Children') return [];
      const { group, kind } = use.resource;
      const known = kinds.find(({ id }) => id.group === group && id.kind === kind);
      return (known?.podTemplates ?? [['spec', 'template']]).map((path) => [...path, 'spec']);
    }),
  );
  return [
    ['accounts in the templates', accountsAt('object', inTemplates)],
    ['accounts in the former templates', accountsAt('oldObject', inTemplates)],
    ['accounts of what is written', accountsAt('object', [['spec'], ...children])],
    ['name of the account', RUNTIME_ACCOUNT],
  ];
}
