import { resources } from '../../schemas/wire/resources.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { findTarget, noPlanFor, readAsked } from '../command/find-target.ts';
import type { Asked, FoundTarget } from '../command/find-target.ts';
import type { Refusal } from '../command/refusal.ts';
import { rolloutCommand } from '../command/rollout-command.ts';
import type { NewRolloutCommand, Said } from '../command/rollout-command.ts';
import type { Verb } from '../command/verbs.ts';
import { hasErrors } from '../diagnostics/diagnostic.ts';
import type { Host } from '../host.ts';
import { shownPath } from '../load/files.ts';
import { loadPlans } from '../load/plan-files.ts';
import { targetId } from '../plan/read-plans.ts';
import { toYaml } from '../render/yaml.ts';
import { forTerminal } from '../text/escape.ts';
import { exitCode } from './command.ts';
import type { Options, Run } from './command.ts';
import { headState } from './places.ts';
import { reportDiagnostics, reportRefusal } from './report.ts';

/**
 * `kruise approve` and its like: makes the RolloutCommand for the committed plan of a target. With a cluster at hand it
 * is created there, else it is printed.
 */
export function runRollout(verb: Verb): Run {
  return async (host, operands, options) => {
    const refuse = (refusal: Refusal): number => {
      reportRefusal(host, verb, refusal);
      return exitCode.error;
    };
    const [text] = operands;
    if (text === undefined || operands.length > 1) {
      const help = `for example kruise ${verb} CloneSet/web`;
      return refuse({
        problem: text === undefined ? 'no target is named' : 'name one target at a time',
        help,
      });
    }
    const asked = readAsked(text, textOf(options, 'namespace'));
    if ('problem' in asked) return refuse(asked);
    const said = saidIn(options);
    const target = targetOf(host, verb, asked, said, String(options['out']));
    if ('problem' in target) return refuse(target);
    const built = rolloutCommand(verb, target, said);
    if ('problem' in built) return refuse(built);
    if (built.note !== undefined) host.stderr(`kruise ${verb}: ${built.note}\n`);
    if (host.cluster === undefined) {
      print(host, built.command, options);
      if (host.stdoutIsTTY) host.stderr('nothing was sent yet: pipe this into kubectl create -f -\n');
      return exitCode.done;
    }
    const answer = await create(host.cluster, built.command);
    if ('problem' in answer) return refuse(answer);
    const { created } = answer;
    if (options['output'] === undefined) host.stdout(`${forTerminal(created.metadata.name)} created\n`);
    else print(host, created, options);
    return exitCode.done;
  };
}

function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

function saidIn(options: Options): Said {
  return {
    digest: textOf(options, 'digest'),
    step: textOf(options, 'step'),
    by: textOf(options, 'by'),
    reason: textOf(options, 'reason'),
    expires: textOf(options, 'expires'),
  };
}

/**
 * The target that is meant, from the committed plans. What says everything by itself needs none of them: on a bad night
 * the line that a held target shows must work outside of the repository, too.
 */
function targetOf(host: Host, verb: Verb, asked: Asked, said: Said, out: string): FoundTarget | Refusal {
  const { kind, name, namespace } = asked;
  const state = headState(host, [], out);
  if (typeof state === 'string') return { problem: state, help: 'name the folder that plans are kept in' };
  const read = loadPlans(host, state);
  const plans = [...read.plans.values()].map(({ plan }) => plan);
  const found = findTarget(asked, plans);
  if (found === undefined) {
    const complete = said.digest !== undefined || verb === 'break-glass';
    if (complete && kind !== undefined) return { kind, name, namespace, plan: undefined };
    if (host.inspect(state.plans) === undefined) {
      const help = 'run this where plans are kept, or name their folder with --out';
      return { problem: `there is no folder ${out} in ${state.root}`, help };
    }
    // A plan that cannot be read may be the one that is looked for.
    if (hasErrors(read.diagnostics)) reportDiagnostics(host, read.diagnostics);
    return noPlanFor(asked, plans, shownPath(host, state.plans));
  }
  const isTwice = 'plan' in found && found.plan !== undefined && read.twice.has(targetId(found.plan));
  if (!isTwice || said.digest !== undefined) return found;
  reportDiagnostics(host, read.diagnostics);
  return { problem: `two plans are for ${found.kind}/${found.name}`, help: 'delete one of the two' };
}

async function create(
  cluster: Cluster,
  command: NewRolloutCommand,
): Promise<{ created: KubeObject } | Refusal> {
  const { kind, name } = command.spec.target;
  if (command.metadata.namespace === undefined) {
    return {
      problem: `nothing says which namespace ${kind}/${name} is in`,
      help: 'give it with -n NAMESPACE',
    };
  }
  try {
    // The server completes the name from its beginning.
    const body = command as unknown as KubeObject;
    return { created: await cluster.create(resources.RolloutCommand, body) };
  } catch (error) {
    if (error instanceof ApiError) {
      return {
        problem: `the cluster refused it: ${error.message}`,
        help: 'nothing was sent to the roll-out',
      };
    }
    const reason = error instanceof Error ? error.message : String(error);
    return {
      problem: `the cluster did not answer: ${reason}`,
      help: 'look whether the command was made before you repeat it',
    };
  }
}

function print(host: Host, object: NewRolloutCommand | KubeObject, options: Options): void {
  const json = options['output'] === 'json';
  // Plain JSON by its schema, or as the server sent it.
  host.stdout(json ? `${JSON.stringify(object, null, 2)}\n` : toYaml(object as unknown as JsonObject));
}
