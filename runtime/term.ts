import type { HttpCluster } from './api/http-cluster.ts';
import { NotLeading } from './lead/fence.ts';
import type { Runtime, RuntimeOptions } from './options.ts';
import { createRuntime } from './runtime.ts';

/** A period in which this process leads without interruption. */
export interface Term {
  readonly runtime: Runtime;
  /** Sends nothing more. Resolves with true if no write is in flight any more. */
  end(): Promise<boolean>;
}

export interface TermOptions extends Omit<RuntimeOptions, 'cluster'> {
  /** Opens connections; `beforeWrite` throws if a write must not be sent. */
  connect(beforeWrite: () => void): HttpCluster;
  /** Restricts the cluster to what this runtime manages. */
  narrowed(cluster: HttpCluster): RuntimeOptions['cluster'];
  /** Whether the process may write, by its own clock. */
  mayWrite(): boolean;
}

/** Each term has its own runtime and connections: no later term sends what an earlier one decided. */
export function createTerm({ connect, narrowed, mayWrite, ...options }: TermOptions): Term {
  let ended = false;
  const http = connect(() => {
    if (ended || !mayWrite()) throw new NotLeading();
  });
  const runtime = createRuntime({ ...options, cluster: narrowed(http) });
  return {
    runtime,
    async end() {
      const atRest = runtime.stop();
      ended = true;
      const rested = await atRest;
      http.close();
      return rested;
    },
  };
}
