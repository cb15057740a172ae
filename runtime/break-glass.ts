import type { Clock } from '../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';

/** When BreakGlass is obeyed: `policy`: where the server checks who sends a command. */
export type AllowBreakGlass = 'policy' | 'always' | 'never';

/** The policy of `deploy/policy/commands.yaml`, and its binding. */
const POLICY = 'rolloutcommands.plan.kruise.io';
/** A policy may be installed or removed at any time; so soon that is noticed. */
const OBSERVE_MS = 30_000;

const admission = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;
const policies: Resource = {
  ...admission,
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
};
const bindings: Resource = {
  ...admission,
  plural: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
};

/** Whether BreakGlass is obeyed in this cluster, as last observed. */
export interface BreakGlassRule {
  /** Why it is refused, with what to do; undefined: it is obeyed. */
  readonly refusal: string | undefined;
  /** Reads the policy now. Never rejects: what cannot be read is not relied on. */
  observe(): Promise<void>;
  /** Reads it now and then until it is stopped. */
  start(): void;
  stop(): void;
}

export interface BreakGlassOptions {
  cluster: Cluster;
  clock: Clock;
  allow: AllowBreakGlass;
  /** Called with the refusal whenever it differs from the one before, and with undefined when there is none any more. */
  onChange?(refusal: string | undefined): void;
}

/**
 * `spec.by` is free text unless the server compares it with the user who sends the command, and every user who may create
 * commands could suspend all plans of a target. So BreakGlass is obeyed only where that policy is installed, unless an
 * administrator decides otherwise.
 */
export function createBreakGlassRule({ cluster, clock, allow, onChange }: BreakGlassOptions): BreakGlassRule {
  let refusal = atFirst(allow);
  let observed = false;
  let running = false;
  let cancel = (): void => {};

  async function observe(): Promise<void> {
    if (allow !== 'policy') return;
    let found: string | undefined;
    try {
      found = await readPolicy(cluster);
    } catch (error) {
      // A server that does not answer has not removed its policy. What was never read is not there.
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

function atFirst(allow: AllowBreakGlass): string | undefined {
  if (allow === 'always') return undefined;
  if (allow === 'policy') return unread('its policies have not been read yet');
  return 'BreakGlass is off: the runtime runs with --allow-break-glass=never; commit the change with its plan';
}

/** Why BreakGlass is refused by what the server has; undefined: the policy is in force everywhere. */
async function readPolicy(cluster: Cluster): Promise<string | undefined> {
  for (const resource of [policies, bindings]) {
    let object: KubeObject;
    try {
      object = await cluster.get(resource, { name: POLICY });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status.code === 403) return unread(`the runtime may not get ${resource.plural}`);
      if (error.status.code === 404) return without(`has no ${resource.kind} ${POLICY}`);
      throw error;
    }
    const problem = resource === policies ? policyProblem(object) : bindingProblem(object);
    if (problem !== undefined) return without(`has a ${resource.kind} ${POLICY} that ${problem}`);
  }
  return undefined;
}

function policyProblem(policy: KubeObject): string | undefined {
  const { failurePolicy, validations = [] } = (policy['spec'] ?? {}) as {
    failurePolicy?: string;
    validations?: { expression?: string }[];
  };
  if (failurePolicy === 'Ignore') return 'ignores its own failures';
  const text = validations.map(({ expression = '' }) => expression).join('\n');
  if (!text.includes('request.userInfo.username') || !text.includes("check('break-glass')"))
    return 'does not check who breaks the glass';
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
  // The server writes empty selectors into what has none.
  const narrows = Object.values(matchResources ?? {}).some(
    (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
  );
  return narrows ? 'is not for all namespaces' : undefined;
}

const OTHERWISE = 'or let an administrator start the runtime with --allow-break-glass=always';

function without(what: string): string {
  return `BreakGlass is off, because nothing checks who sends it: the server ${what}; install deploy/policy (Kubernetes 1.30 or later), ${OTHERWISE}`;
}

function unread(why: string): string {
  return `BreakGlass is off, because nobody knows whether the server checks who sends it: ${why}; give the runtime the ClusterRole of deploy/, ${OTHERWISE}`;
}
