// Package probetest makes libraries and machines for tests of probes.
package probetest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
)

// Library returns a minimal shared library for a processor that exports functions. It has
// symbols but no code, so it can be examined but not loaded.
func Library(processor elf.Machine, functions ...string) []byte {
	const headerSize, sectionSize, symbolSize = 64, 64, 24
	names := "\x00" + strings.Join(functions, "\x00") + "\x00"
	symbols := []elf.Sym64{{}} // the format requires an empty first symbol
	at := uint32(1)
	for _, f := range functions {
		symbols = append(symbols, elf.Sym64{
			Name: at, Info: byte(elf.STB_GLOBAL)<<4 | byte(elf.STT_FUNC), Shndx: 1, Value: 0x1000,
		})
		at += uint32(len(f)) + 1
	}
	symbolsAt := uint64(headerSize)
	namesAt := symbolsAt + uint64(len(symbols)*symbolSize)
	sectionsAt := namesAt + uint64(len(names))
	sections := []elf.Section64{
		{},
		{
			Type: uint32(elf.SHT_DYNSYM), Off: symbolsAt, Size: namesAt - symbolsAt,
			Link: 2, Info: 1, Entsize: symbolSize,
		},
		{Type: uint32(elf.SHT_STRTAB), Off: namesAt, Size: uint64(len(names))},
	}
	header := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(processor), Version: uint32(elf.EV_CURRENT),
		Shoff: sectionsAt, Ehsize: headerSize,
		Shentsize: sectionSize, Shnum: uint16(len(sections)), Shstrndx: 2,
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	header.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)

	var file bytes.Buffer
	for _, part := range []any{header, symbols, []byte(names), sections} {
		if err := binary.Write(&file, binary.LittleEndian, part); err != nil {
			panic(err) // these types have a fixed size
		}
	}
	return file.Bytes()
}

// Plugin returns a library with the entry point of a PJRT plugin for amd64.
func Plugin() []byte { return Library(elf.EM_X86_64, "GetPjrtApi") }
