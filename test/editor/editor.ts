// An editor with the real YAML language server behind it: opens files, types, asks, and sees what is underlined.
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RpcChannel } from './rpc-channel.ts'

export interface Position {
  /** From 0. */
  readonly line: number
  readonly character: number
}

export interface Diagnostic {
  readonly range: { readonly start: Position; readonly end: Position }
  readonly message: string
}

interface Completion {
  readonly label: string
  readonly documentation?: string | { readonly value: string }
}

const serverMain = join(
  dirname(createRequire(import.meta.url).resolve('yaml-language-server/package.json')),
  'bin/yaml-language-server',
)

/** Schema file → globs of the files it is for. */
export type SchemaFiles = Readonly<Record<string, readonly string[]>>

export class Editor {
  readonly #channel: RpcChannel
  readonly #settings: unknown
  readonly #published = new Map<string, (diagnostics: readonly Diagnostic[]) => void>()

  private constructor(schemas: SchemaFiles) {
    const urls = Object.entries(schemas).map(([file, globs]) => [pathToFileURL(resolve(file)).href, globs])
    this.#settings = {
      schemas: Object.fromEntries(urls),
      schemaStore: { enable: false },
      kubernetesCRDStore: { enable: false },
      validate: true,
      completion: true,
      hover: true,
    }
    // Only needed variables are passed: nothing may reach out, and no proxy help it to.
    const env = { PATH: process.env.PATH }
    this.#channel = new RpcChannel(process.execPath, [serverMain, '--stdio'], env, {
      onRequest: (method, params) => (method === 'workspace/configuration' ? this.#configuration(params) : null),
      onNotification: (method, params) => {
        if (method !== 'textDocument/publishDiagnostics') return
        const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] }
        this.#published.get(uri)?.(diagnostics)
      },
    })
  }

  static async start(schemas: SchemaFiles): Promise<Editor> {
    const editor = new Editor(schemas)
    try {
      const folder = { uri: pathToFileURL(resolve('.')).href, name: 'project' }
      await editor.#channel.request('initialize', {
        processId: process.pid,
        rootUri: folder.uri,
        workspaceFolders: [folder],
        capabilities: {
          workspace: { configuration: true, workspaceFolders: true },
          textDocument: { hover: { contentFormat: ['markdown'] }, completion: { completionItem: {} } },
        },
      })
      editor.#channel.notify('initialized', {})
      return editor
    } catch (error) {
      await editor.end()
      throw error
    }
  }

  /** Opens a text as the file at `path`, which need not exist; resolves to what is underlined. */
  open(path: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = pathToFileURL(resolve(path)).href
    const published = new Promise<readonly Diagnostic[]>((done) => this.#published.set(uri, done))
    this.#channel.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
    return published
  }

  async complete(path: string, position: Position): Promise<readonly Completion[]> {
    const result = (await this.#ask('completion', path, position)) as { items: readonly Completion[] } | null
    return result?.items ?? []
  }

  /** The text of the bubble; empty where there is none. */
  async hover(path: string, position: Position): Promise<string> {
    const result = (await this.#ask('hover', path, position)) as { contents: { value: string } } | null
    return result?.contents.value ?? ''
  }

  end(): Promise<void> {
    return this.#channel.end()
  }

  #ask(what: string, path: string, position: Position): Promise<unknown> {
    const textDocument = { uri: pathToFileURL(resolve(path)).href }
    return this.#channel.request(`textDocument/${what}`, { textDocument, position })
  }

  #configuration(params: unknown): readonly unknown[] {
    const { items } = params as { items: readonly { section: string }[] }
    return items.map(({ section }) => (section === 'yaml' ? this.#settings : {}))
  }
}
