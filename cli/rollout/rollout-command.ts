import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { apiVersionOf, plannedKind } from '../../compiler/plan/kinds.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { isLabel } from '../../compiler/text/names.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { isDateTime } from './date-time.ts';
import type { FoundTarget } from '../command/find-target.ts';
import { isNamespaced } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import { ACTIONS } from './actions.ts';
import type { Verb } from './actions.ts';
import { generatedName } from '../../semantics/values/name-suffix.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

/** A RolloutCommand before the server completes its name. */
export interface NewRolloutCommand {
  apiVersion: 'plan.kruise.io/v1alpha1';
  kind: 'RolloutCommand' | 'ClusterRolloutCommand';
  metadata: { generateName: string; namespace?: string };
  spec: RolloutCommandSpec;
}

/** A RolloutCommand with a name, as a GitOps engine can apply it: an engine cannot apply one that the server has to name. */
export type NamedRolloutCommand = Omit<NewRolloutCommand, 'metadata'> & {
  metadata: { name: string; namespace?: string };
};

/** The input of a command besides its target; undefined if not given. */
export interface CommandInput {
  digest: string | undefined;
  /** Only for an approval. */
  step: string | undefined;
  by: string | undefined;
  reason: string | undefined;
  /** RFC 3339. The runtime decides whether it has expired, because this code has no clock. */
  expires: string | undefined;
}

export type BuiltCommand = { command: NewRolloutCommand; note: string | undefined } | Refusal;

const HASH = /^h1:[0-9a-f]{32}$/;
const LONGEST_TEXT = 1024;
/** The length to which an API server cuts `generateName`; it adds the rest of the name. */
const LONGEST_START = 58;

/**
 * Builds the RolloutCommand for a target. It carries the digest of the committed plan, unless another one is given, so that
 * it cannot apply to any other plan. BreakGlass applies to the target whatever its plan, so it carries a digest only if one
 * is given.
 */
export function rolloutCommand(verb: Verb, target: FoundTarget, input: CommandInput): BuiltCommand {
  const { kind, name, namespace } = target;
  const plan = target.plan?.spec;
  const wrong =
    textProblem('by', input.by) ?? textProblem('reason', input.reason) ?? expiryProblem(verb, input);
  if (wrong !== undefined) return wrong;
  if (input.digest !== undefined && !HASH.test(input.digest)) {
    const help = 'a digest is h1: and 32 hexadecimal digits; the plan and kruise status show it';
    return { problem: `--digest cannot be '${input.digest}'`, help };
  }
  const digest = input.digest ?? (verb === 'break-glass' ? undefined : plan?.digest);
  if (digest === undefined && verb !== 'break-glass') {
    return { problem: `the plan of ${kind}/${name} is unknown`, help: 'name it with --digest' };
  }
  const known = plan?.digest === digest ? plan : undefined;
  const step = verb === 'approve' ? approvedStep(`${kind}/${name}`, known, input.step) : undefined;
  if (typeof step === 'object') return step;
  const apiVersion = plan?.target.apiVersion ?? apiVersionOf(kind);
  const spec: RolloutCommandSpec = {
    target: { apiVersion, kind: plannedKind(kind)?.id.kind ?? kind, name },
    action: ACTIONS[verb],
  };
  if (step !== undefined) spec.step = step;
  if (digest !== undefined) spec.digest = digest;
  if (input.by !== undefined) spec.by = input.by;
  if (input.reason !== undefined) spec.reason = input.reason;
  if (input.expires !== undefined) spec.expires = input.expires;
  return {
    command: {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: isNamespaced(kind) ? 'RolloutCommand' : 'ClusterRolloutCommand',
      metadata: {
        generateName: startOfName(name, verb),
        ...(namespace === undefined || namespace === '' ? {} : { namespace }),
      },
      spec,
    },
    note: unverified(verb, target, input.digest),
  };
}

/**
 * The command with a name that follows from all that it says and from when it is printed. In a file the name stays, so that an engine
 * applies it once. A command that is printed anew has another one: the same plan may come again, while a command of before is kept
 * for a day.
 */
export function namedCommand(command: NewRolloutCommand, now: number): NamedRolloutCommand {
  const { generateName, ...rest } = command.metadata;
  const name = generatedName(generateName, JSON.stringify([command.spec, now]));
  return { ...command, metadata: { name, ...rest } };
}

/** `web-approve-`; cuts a long name so that the verb remains. */
function startOfName(name: string, verb: Verb): string {
  const end = `-${verb}-`;
  return withoutTrailing(name.slice(0, LONGEST_START - end.length), '-.') + end;
}

function unverified(
  verb: Verb,
  { kind, name, plan }: FoundTarget,
  digest: string | undefined,
): string | undefined {
  if (plan === undefined)
    return `no plan here is for ${kind}/${name}; whether the target exists is not checked`;
  if (digest === undefined || digest === plan.spec.digest) return undefined;
  const step = verb === 'approve' ? ', so the step could not be checked' : '';
  return `the committed plan of ${kind}/${name} has another digest, ${plan.spec.digest}${step}`;
}

/** The step to approve: the given one if it is an approval of the plan, else the only approval of the plan. */
function approvedStep(
  target: string,
  plan: RolloutPlanSpec | undefined,
  requested: string | undefined,
): string | Refusal {
  if (requested !== undefined && !isLabel(requested)) {
    return { problem: `--step cannot be '${requested}'`, help: 'a step id is for example approve-1' };
  }
  if (plan === undefined) {
    if (requested !== undefined) return requested;
    const problem = `the plan with this digest is not here, so its approvals are unknown`;
    return { problem, help: 'name the step with --step' };
  }
  const approvals = plan.steps.filter(({ approve }) => approve !== undefined).map(({ id }) => id);
  const [only] = approvals;
  if (only === undefined) {
    return { problem: `the plan of ${target} has no approval step`, help: 'no approval is needed' };
  }
  const listed = `its approvals are ${approvals.join(', ')}`;
  if (requested === undefined) {
    if (approvals.length === 1) return only;
    return {
      problem: `the plan of ${target} has ${approvals.length} approval steps`,
      help: `name one with --step: ${approvals.join(', ')}`,
    };
  }
  if (approvals.includes(requested)) return requested;
  const other = plan.steps.find(({ id }) => id === requested);
  if (other !== undefined)
    return { problem: `step ${requested} of ${target} ${gateText(other)}`, help: listed };
  const near = suggest(requested, approvals);
  const help = near === undefined ? listed : `did you mean ${near}?`;
  return { problem: `the plan of ${target} has no step ${requested}`, help };
}

function gateText(step: Step): string {
  if (step.soak !== undefined) return 'is a soak, not an approval';
  if (step.check !== undefined) return 'is a check, not an approval';
  return 'is an update, not an approval';
}

function textProblem(option: 'by' | 'reason', text: string | undefined): Refusal | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === '') return { problem: `--${option} is empty`, help: 'omit it, or write some text' };
  if (text.length > LONGEST_TEXT) {
    return { problem: `--${option} has ${text.length} characters`, help: `use at most ${LONGEST_TEXT}` };
  }
  if (forTerminal(text) === text) return undefined;
  const help = 'write it in one line of visible characters';
  return { problem: `--${option} has a line break or an invisible character`, help };
}

function expiryProblem(verb: Verb, { expires }: CommandInput): Refusal | undefined {
  const example = 'such as 2h, 30m or 2026-12-01T18:00:00Z';
  if (expires === undefined) {
    if (verb !== 'break-glass') return undefined;
    return { problem: '--expires is required', help: `set when the plans apply again, ${example}` };
  }
  if (isDateTime(expires)) return undefined;
  return {
    problem: `--expires cannot be '${expires}'`,
    help: 'write a duration such as 2h or 30m, or a date and time such as 2026-12-01T18:00:00Z',
  };
}
