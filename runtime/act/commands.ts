import { ApiError, type Cluster, type ObjectKey } from '../../schemas/wire/cluster.ts';
import { execOptions, lacksProgram } from '../../schemas/wire/exec.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { ExecAction } from '../../semantics/decision.ts';
import { listed } from '../../semantics/values/listed.ts';

/** Runs the first of the commands whose program the container has. Rejects with its failure, or with that there is none. */
export async function runFirst(
  { container, commands }: ExecAction,
  at: ObjectKey,
  cluster: Cluster,
): Promise<void> {
  for (const command of commands) {
    try {
      await cluster.create(resources.Pod, execOptions(at, { container, command }), { subresource: 'exec' });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !lacksProgram(error)) throw error;
    }
  }
  const programs = commands.map(([program = '']) => program);
  throw new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `container ${container} has neither of the programs ${listed(programs, 'and')}, which send a signal`,
  });
}
