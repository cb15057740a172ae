import { join } from 'node:path';
import { main } from '../../../cli/dispatch.ts';
import { nodeHost } from '../../../cli/machine/node-host.ts';
import type { Host } from '../../../cli/host.ts';
import { KUBECONFIG } from './sandbox-client.ts';
import { emptyFolder } from './sandbox-run.ts';

interface Said {
  code: number;
  out: string;
  err: string;
}

/** Runs a command against the sandbox of a folder, from an empty folder unless another is named. */
export async function kruise(folder: string, words: string[], over: Partial<Host> = {}): Promise<Said> {
  const said = { out: '', err: '' };
  const host: Host = {
    ...nodeHost(),
    cwd: emptyFolder(),
    env: { KUBECONFIG: join(folder, KUBECONFIG) },
    stdoutIsTTY: false,
    screen: () => undefined,
    stdout: (text) => void (said.out += text),
    draw: (text) => void (said.out += text),
    stderr: (text) => void (said.err += text),
    ...over,
  };
  return { code: await main(host, words), ...said };
}
