import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Executed } from '../api/exec.ts';

/** The protocols of remote commands over web sockets that are spoken, the preferred one first. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** The first byte of each message. */
const channels = { stdout: 1, stderr: 2, status: 3 } as const;

const server = new WebSocketServer({
  noServer: true,
  // Input of a command is not read, so no large message is expected.
  maxPayload: 1024 * 1024,
  handleProtocols: (offered) => protocols.find((each) => offered.has(each)) ?? false,
});

/** Whether a request asks for a web socket with a protocol that is spoken. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  const offered = String(headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
  return headers.upgrade?.toLowerCase() === 'websocket' && protocols.some((each) => offered.includes(each));
}

/** Sends all that a command prints, and its Status, over a web socket, and closes it. */
export function streamExec(message: IncomingMessage, socket: Duplex, head: Buffer, executed: Executed): void {
  server.handleUpgrade(message, socket, head, (connection) => {
    connection.on('error', () => connection.terminate());
    const { stdout, stderr, status } = executed;
    executed.act?.();
    write(connection, channels.stdout, stdout);
    write(connection, channels.stderr, stderr);
    write(connection, channels.status, JSON.stringify(status));
    connection.close(1000);
  });
}

function write(connection: WebSocket, channel: number, text: string): void {
  if (text !== '') connection.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
}
