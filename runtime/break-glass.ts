import type { Clock } from '../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { timestamp } from '../semantics/values/timestamp.ts';

/** When BreakGlass is obeyed: `policy`: where the server checks who sends a command. */
export type AllowBreakGlass = 'policy' | 'always' | 'never';

/** The policy of `deploy/policy/commands.yaml`, and its binding. */
export const POLICY = 'rolloutcommands.plan.kruise.io';
/**
 * API servers enforce a policy some seconds after it is stored, and their clocks may differ a little. A command counts as
 * checked only if it was created this long after the policy. Timestamps of Kubernetes have whole seconds.
 */
const ENFORCED_MS = 10_000;
/** How often the policy is read: it may be installed or removed at any time. */
const OBSERVE_MS = 30_000;

const admission = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;
/** The resource of admission policies. */
export const policies: Resource = {
  ...admission,
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
};
/** The resource of their bindings, which activate them. */
export const bindings: Resource = {
  ...admission,
  plural: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
};

/** Whether BreakGlass is obeyed in this cluster, as last observed. */
export interface BreakGlassRule {
  /** Why BreakGlass is refused, with what to do; undefined: it is obeyed. */
  readonly refusal: string | undefined;
  /** Why a command created at this time, milliseconds since 1970, is refused; undefined: it is obeyed. */
  refusalOf(createdAt: number): string | undefined;
  /** Reads the policy now. Never rejects: an unreadable policy counts as missing. */
  observe(): Promise<void>;
  /** Reads it regularly until it is stopped. */
  start(): void;
  stop(): void;
}

export interface BreakGlassOptions {
  cluster: Cluster;
  clock: Clock;
  allow: AllowBreakGlass;
  /** Called with the refusal whenever it has changed; undefined: BreakGlass is obeyed. */
  onChange?(refusal: string | undefined): void;
}

/**
 * `spec.by` is free text unless the server compares it with the user who sends the command. Without that check, every user
 * who may create commands could suspend all plans of a target. So BreakGlass is obeyed only if that policy is installed,
 * unless an administrator decides otherwise.
 */
export function createBreakGlassRule({ cluster, clock, allow, onChange }: BreakGlassOptions): BreakGlassRule {
  let refusal = initialRefusal(allow);
  /** Since when policy and binding both exist, milliseconds since 1970. */
  let since = -Infinity;
  let observed = false;
  let running = false;
  let cancel = (): void => {};

  async function observe(): Promise<void> {
    if (allow !== 'policy') return;
    let found: string | undefined;
    try {
      const policy = await readPolicy(cluster);
      found = policy.refusal;
      since = policy.since;
    } catch (error) {
      // A failed read does not mean that the policy was removed. A policy that was never read counts as missing.
      if (observed) return;
      found = unread(error instanceof Error ? error.message : String(error));
    }
    if (!observed || found !== refusal) onChange?.(found);
    observed = true;
    refusal = found;
  }

  async function again(): Promise<void> {
    await observe();
    if (running) schedule();
  }

  function schedule(): void {
    cancel = clock.after(OBSERVE_MS, () => void again());
  }

  return {
    get refusal() {
      return refusal;
    },
    refusalOf: (createdAt) => refusal ?? (createdAt > since + ENFORCED_MS ? undefined : tooEarly(since)),
    observe,
    start() {
      if (running || allow !== 'policy') return;
      running = true;
      schedule();
    },
    stop() {
      running = false;
      cancel();
    },
  };
}

function initialRefusal(allow: AllowBreakGlass): string | undefined {
  if (allow === 'always') return undefined;
  if (allow === 'policy') return unread('its policies have not been read yet');
  return 'BreakGlass is off: the runtime runs with --allow-break-glass=never. Commit the change with its plan';
}

interface Found {
  /** Why BreakGlass is refused; undefined: the policy applies to all commands. */
  refusal: string | undefined;
  /** When the younger of policy and binding was created, milliseconds since 1970. */
  since: number;
}

async function readPolicy(cluster: Cluster): Promise<Found> {
  let since = -Infinity;
  const refused = (refusal: string): Found => ({ refusal, since });
  for (const resource of [policies, bindings]) {
    let object: KubeObject;
    try {
      object = await cluster.get(resource, { name: POLICY });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status.code === 403) return refused(unread(`the runtime may not get ${resource.plural}`));
      if (error.status.code === 404) return refused(without(`has no ${resource.kind} ${POLICY}`));
      throw error;
    }
    const created = Date.parse(object.metadata.creationTimestamp ?? '');
    const problem = Number.isNaN(created)
      ? 'has no creationTimestamp'
      : resource === policies
        ? policyProblem(object)
        : bindingProblem(object);
    if (problem !== undefined) return refused(without(`has a ${resource.kind} ${POLICY} that ${problem}`));
    since = Math.max(since, created);
  }
  return { refusal: undefined, since };
}

interface ResourceRule {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resources?: string[];
  resourceNames?: string[];
  scope?: string;
}

interface PolicySpec {
  failurePolicy?: string;
  validations?: { expression?: string }[];
  matchConditions?: object[] | null;
  matchConstraints?: { resourceRules?: ResourceRule[]; [selection: string]: unknown };
  paramKind?: object | null;
}

/** Whether the rule matches every creation of a command in any namespace. */
function isForCommands(rule: ResourceRule): boolean {
  const has = (list: string[] | undefined, item: string): boolean =>
    list?.some((each) => each === '*' || each === item) === true;
  return (
    has(rule.apiGroups, resources.RolloutCommand.group) &&
    has(rule.apiVersions, resources.RolloutCommand.version) &&
    has(rule.operations, 'CREATE') &&
    has(rule.resources, resources.RolloutCommand.plural) &&
    (rule.resourceNames ?? []).length === 0 &&
    rule.scope !== 'Cluster'
  );
}

/** Whether a selector restricts the policy; the server defaults missing selectors to empty ones. */
function isNarrowed(selection: object): boolean {
  return Object.values(selection).some(
    (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
  );
}

function policyProblem(policy: KubeObject): string | undefined {
  const { failurePolicy, validations, matchConditions, matchConstraints, paramKind } = (policy['spec'] ??
    {}) as PolicySpec;
  if (failurePolicy === 'Ignore') return 'ignores its own failures';
  if ((matchConditions ?? []).length > 0) return 'has matchConditions';
  if ((paramKind ?? undefined) !== undefined) return 'depends on parameters';
  const { resourceRules, ...selection } = matchConstraints ?? {};
  if (isNarrowed(selection)) return 'is not for all commands';
  if (resourceRules?.some(isForCommands) !== true) return 'is not for the creation of rolloutcommands';
  const text = (validations ?? []).map(({ expression = '' }) => expression).join('\n');
  if (!text.includes('request.userInfo.username') || !text.includes("check('break-glass')"))
    return 'does not check who sends BreakGlass';
  return undefined;
}

function bindingProblem(binding: KubeObject): string | undefined {
  const { policyName, validationActions, matchResources } = (binding['spec'] ?? {}) as {
    policyName?: string;
    validationActions?: string[];
    matchResources?: object;
  };
  if (policyName !== POLICY) return 'binds another policy';
  if (validationActions?.includes('Deny') !== true) return 'denies nothing';
  return isNarrowed(matchResources ?? {}) ? 'is not for all namespaces' : undefined;
}

const OTHERWISE = 'or let an administrator start the runtime with --allow-break-glass=always';

function without(what: string): string {
  return `BreakGlass is off, because nothing checks who sends it: the server ${what}. Install deploy/policy (Kubernetes 1.30 or later), ${OTHERWISE}`;
}

function tooEarly(since: number): string {
  return `nothing checked who sent it: it was created before the policy ${POLICY} and its binding were both there for ${ENFORCED_MS / 1000} seconds, since ${timestamp(since)}. Send it again`;
}

function unread(why: string): string {
  return `BreakGlass is off: the runtime cannot read whether the server checks who sends it: ${why}. Give the runtime the ClusterRole of deploy/, ${OTHERWISE}`;
}
