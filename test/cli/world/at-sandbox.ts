import { join } from 'node:path';
import { main } from '../../../cli/dispatch.ts';
import { nodeHost } from '../../../cli/machine/node-host.ts';
import type { Host } from '../../../cli/host.ts';
import { KUBECONFIG } from './sandbox-client.ts';
import { emptyFolder } from './sandbox-run.ts';

interface Output {
  code: number;
  out: string;
  err: string;
}

/** Runs a command against the sandbox of a folder, in an empty folder unless another is given. */
export async function kruise(folder: string, args: string[], overrides: Partial<Host> = {}): Promise<Output> {
  const output = { out: '', err: '' };
  const host: Host = {
    ...nodeHost(),
    cwd: emptyFolder(),
    env: { KUBECONFIG: join(folder, KUBECONFIG) },
    stdoutIsTTY: false,
    screen: () => undefined,
    stdout: (text) => void (output.out += text),
    draw: (text) => void (output.out += text),
    stderr: (text) => void (output.err += text),
    ...overrides,
  };
  return { code: await main(host, args), ...output };
}
