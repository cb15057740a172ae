import type { Commands } from './command/command.ts';
import { planCommands } from './command/plan-commands.ts';
import { runCommand } from './command/run-command.ts';
import { runHere } from './machine/run-here.ts';
import { runPlan } from './plan/plan.ts';
import { runValidate } from './validate/validate.ts';

const commands: Commands = {
  plan: { ...planCommands.plan, load: () => Promise.resolve(runPlan) },
  validate: { ...planCommands.validate, load: () => Promise.resolve(runValidate) },
};

/**
 * Runs `kruise plan` or `kruise validate` on this machine. Pipelines run them for every change, so they are built into one file
 * without the code of other commands: loading thirty files takes longer than planning one.
 */
export async function run(args: readonly string[]): Promise<void> {
  await runHere((host) => runCommand(host, args, commands));
}
