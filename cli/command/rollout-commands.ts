import { clusterOptions } from '../cluster/options.ts';
import type { Verb } from '../rollout/actions.ts';
import type { Command, Commands, Option } from './command.ts';
import { exampleTarget } from './kind-names.ts';
import { PHASE_NAMES } from './phase-names.ts';
import { out } from './plan-commands.ts';

/** The option of commands that show their effect and ask for confirmation. */
const yes = {
  yes: { type: 'boolean', short: 'y', help: 'send it without confirmation; required without a terminal' },
} as const satisfies Readonly<Record<string, Option>>;

/** How several targets are chosen by the labels that they have. */
const selector = {
  selector: {
    type: 'string',
    short: 'l',
    value: 'SELECTOR',
    help: 'only targets with these labels, such as team=pay',
  },
} as const satisfies Readonly<Record<string, Option>>;

/** The definition of a rollout command; `own` are the options that only this one has. */
function rollout(
  verb: Verb,
  summary: string,
  about: readonly string[],
  own: Readonly<Record<string, Option>> = {},
  operands = 'TARGET',
): Command {
  const needed = verb === 'break-glass' ? ' --expires TIME' : '';
  return {
    group: 'Observe and control rollouts',
    summary,
    operands,
    options: {
      namespace: { type: 'string', short: 'n', value: 'NAME', help: 'the namespace of the target' },
      ...own,
      digest: { type: 'string', value: 'HASH', help: 'the digest of the plan, instead of the committed one' },
      by: {
        type: 'string',
        value: 'WHO',
        help: 'who sends the command (default: your user name in the cluster)',
      },
      reason: { type: 'string', value: 'TEXT', help: 'the reason, in one line' },
      expires: {
        type: 'string',
        value: 'TIME',
        help: 'when the command expires, such as 2h or 2026-12-01T18:00:00Z',
      },
      out: { ...out, help: 'the folder of plans, below the working directory' },
      ...clusterOptions,
      timeout: {
        type: 'string',
        value: 'TIME',
        default: '30s',
        help: 'how long to wait for the answer, such as 90s or 5m',
      },
      'no-wait': { type: 'boolean', help: 'do not wait for the answer' },
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        choices: ['yaml', 'json'],
        help: 'print the object as yaml or json; send nothing',
      },
    },
    notes: [
      ...about,
      'TARGET is NAMESPACE/KIND/NAME, KIND/NAME or NAME. The plan is the one committed here, else the one in the cluster.',
      'The command prints the answer of the runtime. Exit codes: 0 accepted, 1 refused or no answer.',
      `To print the object, for git or kubectl: kruise ${verb} ${exampleTarget()}${needed} -o yaml`,
    ],
    load: async () => (await import('../rollout/rollout.ts')).runRollout(verb),
  };
}

/** The commands that observe and control rollouts in a cluster. */
export const rolloutCommands = {
  status: {
    group: 'Observe and control rollouts',
    summary: 'Show the progress of rollouts',
    operands: '[TARGET]',
    options: {
      'all-namespaces': { type: 'boolean', short: 'A', help: 'show all namespaces' },
      namespace: {
        type: 'string',
        short: 'n',
        value: 'NAME',
        help: 'the namespace (default: that of the context)',
      },
      ...selector,
      phase: {
        type: 'string',
        value: 'PHASE',
        choices: PHASE_NAMES,
        repeated: true,
        help: 'only targets in this phase, such as AwaitingApproval; may be repeated',
      },
      watch: {
        type: 'boolean',
        short: 'w',
        help: 'update the output; with TARGET until its rollout has ended',
      },
      timeout: { type: 'string', value: 'TIME', help: 'stop -w after this time, such as 90s or 10m' },
      digest: { type: 'string', value: 'HASH', help: 'with -w TARGET: wait for the end of this plan' },
      ...clusterOptions,
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        default: 'human',
        choices: ['human', 'json', 'yaml', 'html'],
        help: 'human, json, yaml or html (one page)',
      },
    },
    notes: [
      'With TARGET (NAMESPACE/KIND/NAME, KIND/NAME or NAME): its plan, steps, pods and Events. Without: a line per target.',
      'Exit codes: 0 nothing has failed (-w TARGET: done), 1 error, 3 a rollout has failed, 4 not done within --timeout,',
      '5 held without a plan (-w TARGET).',
    ],
    load: async () => (await import('../status/status.ts')).runStatus,
  },
  approve: rollout(
    'approve',
    'Approve a step that waits for approval',
    [
      'Several TARGETs, -A, -l and --group approve several at once, after confirmation: what follows each is shown before.',
      'Those that are not named are only those that wait for an approval now. One that fails does not stop the others.',
    ],
    {
      'all-namespaces': {
        type: 'boolean',
        short: 'A',
        help: 'all that wait for an approval, in all namespaces',
      },
      ...selector,
      group: { type: 'string', value: 'NAME', help: 'only those in this group of the rollout queue' },
      yes: {
        type: 'boolean',
        short: 'y',
        help: 'approve several without confirmation; required without a terminal',
      },
      step: {
        type: 'string',
        value: 'ID',
        help: 'the step to approve; required if the plan has several approvals',
      },
    },
    '[TARGET…]',
  ),
  pause: rollout('pause', 'Pause a rollout', ['No further pod is updated until the rollout is resumed.']),
  resume: rollout(
    'resume',
    'Resume a paused or failed rollout',
    ['An aborted or reverted rollout restarts at step 1, after confirmation.'],
    yes,
  ),
  abort: rollout('abort', 'Abort a rollout', ['Pods stay as they are.']),
  revert: rollout('revert', 'Revert the pods of a rollout', [
    'Pods go back to the stable revision, the one on which the target was last complete.',
  ]),
  'break-glass': rollout(
    'break-glass',
    'Suspend the plans of a target: its own strategy applies (emergency)',
    [
      'All plans of the target are suspended until --expires, which is required and at most seven days ahead.',
      'The command shows first how many pods will be updated, and asks for confirmation.',
    ],
    yes,
  ),
  restart: {
    group: 'Observe and control rollouts',
    summary: 'Restart containers of the pods of a target, a batch at a time',
    operands: '[TARGET]',
    options: {
      namespace: {
        type: 'string',
        short: 'n',
        value: 'NAME',
        help: 'the namespace of the pods (default: that of the context)',
      },
      selector: {
        type: 'string',
        short: 'l',
        value: 'SELECTOR',
        help: 'only pods with these labels; without TARGET those of any owner',
      },
      container: {
        type: 'string',
        short: 'c',
        value: 'NAME',
        repeated: true,
        help: 'only this container; may be repeated (default: all of a pod)',
      },
      batch: {
        type: 'string',
        value: 'SIZE',
        default: '10%',
        help: 'how many pods are asked for at a time: a number, or a part of them',
      },
      since: {
        type: 'string',
        value: 'TIME',
        help: 'only containers that have not started since; to go on after an interruption',
      },
      check: { type: 'boolean', help: 'show what would be restarted and what cannot be; send nothing' },
      yes: { type: 'boolean', short: 'y', help: 'begin without confirmation; required without a terminal' },
      ...clusterOptions,
      timeout: {
        type: 'string',
        value: 'TIME',
        default: '10m',
        help: 'how long a batch may take, such as 90s or 10m',
      },
    },
    notes: [
      'It asks for each batch, and waits for it. The runtime keeps maxUnavailable and all budgets.',
      'A container that does not come back ends it before the next batch. Ctrl-C ends it, too; what was sent is carried out.',
      'Exit codes: 0 all have restarted, 1 some were refused or failed, 4 not within --timeout.',
    ],
    load: async () => (await import('../restart/restart.ts')).runRestart,
  },
} as const satisfies Commands;
