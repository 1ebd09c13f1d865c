package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/pipeline/kit"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/trust"
)

const importAction = "Import"

// offerImports offers, once for a folder, to import a CBMC starter kit that no configuration includes. The search
// runs no program. The import runs make, so the user has to confirm it.
func (s *server) offerImports() {
	s.mu.Lock()
	denied, folders := s.denied(), s.folders
	s.mu.Unlock()
	if denied {
		return
	}
	for _, folder := range folders {
		if !awaitsImport(folder) {
			continue
		}
		if store, err := trust.User(); err != nil || !store.Offer(folder) {
			continue
		}
		text := fmt.Sprintf("%s has proofs of a CBMC starter kit. unitproof can write a %s for them; that runs make on its "+
			"Makefiles",
			folder, project.ConfigName)
		go s.offerImport(folder, text)
	}
}

// awaitsImport reports whether a folder has a kit and no configuration.
func awaitsImport(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, project.ConfigName))
	return errors.Is(err, os.ErrNotExist) && kit.Has(folder)
}

func (s *server) offerImport(folder, text string) {
	remedy := text + ": `unitproof import cbmc " + folder + "`"
	if !s.question(protocol.MessageTypeInfo, text+".", importAction, remedy) || !awaitsImport(folder) {
		return
	}
	made, err := kit.Import(s.ctx, folder)
	if err == nil {
		err = os.WriteFile(made.Path, []byte(made.Text), 0o644)
	}
	if err != nil {
		s.message(protocol.MessageTypeError, "unitproof: "+err.Error())
		return
	}
	s.mu.Lock()
	if s.engine != nil {
		s.engine.workspace.FilesChanged([]string{made.Path})
	}
	s.mu.Unlock()
	level := protocol.MessageTypeInfo
	if len(made.Kits.Waiting()) > 0 {
		level = protocol.MessageTypeWarning
	}
	s.message(level, "unitproof: "+strings.Join(made.Kits.Lines(), "\n"))
}
