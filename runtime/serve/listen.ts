import type { AddressInfo, Server } from 'node:net';

/** A server that listens. */
export interface Endpoint {
  port: number;
  /** Ends every connection, too. */
  close(): Promise<void>;
}

/**
 * Opens the port of a server; 0: any that is free. Rejects if it cannot be opened.
 */
export async function listen(
  server: Server & { closeAllConnections(): void },
  { port, address }: { port: number; address: string },
): Promise<Endpoint> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
